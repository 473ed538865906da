import type { ReactNode } from 'react';
import { useTenant } from '../../app/session';
import { WholeLog } from '../../shared/log/whole-log';
import { text } from '../../text';
import { logUrl } from '../queries';

interface KeptLogProps {
  readonly name: string;
  readonly instance: number;
  readonly note: ReactNode;
}

/** All that is kept of what an instance printed, as far as it is there now. */
export function KeptLog({ name, instance, note }: KeptLogProps) {
  const url = logUrl(useTenant(), name, instance);
  return (
    <WholeLog
      label={text.serving.log.label(name, instance)}
      source={{ url, bus: null }}
      isLive={false}
      empty={text.serving.log.none}
      note={note}
    />
  );
}
