import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { type Permission, useMissing } from '../../app/session';
import { Explained } from '../allowed';
import { Confirm } from '../confirm';
import { ConfirmByName } from '../confirm-by-name';
import { each } from './each';

interface BulkActionProps<R> {
  /** Those of the chosen rows that it is done with. */
  readonly rows: readonly R[];
  readonly call: (row: R) => Promise<unknown>;
  /** One of them is enough. */
  readonly to: Permission | readonly Permission[];
  readonly action: string;
  /** Why it cannot be done with these rows. */
  readonly reason?: string | null;
  /** What happens, in one question. */
  readonly title: string;
  /** What is lost and what stays. */
  readonly children: ReactNode;
  /** What has to be typed, where it destroys. */
  readonly name?: string;
  /** In the place of "Cancel", where that is what is asked about. */
  readonly decline?: string;
  /** False for what can be taken back. */
  readonly isGrave?: boolean;
  /** Reads the rows anew, also after a failure. */
  readonly renew: () => unknown;
  /** All went well. */
  readonly done: () => void;
}

/** A button that does something with each of the chosen rows, once it was asked about. */
export function BulkAction<R extends { readonly name: string }>(props: BulkActionProps<R>) {
  const { rows, call, action, name, renew, done, isGrave = true } = props;
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing(props.to);
  const run = async () => {
    await each(rows, call).finally(renew);
    done();
  };
  const question = { opened: isAsked, onClose: ask.close, title: props.title, action, run };
  return (
    <>
      <Explained reason={missing ?? props.reason ?? null}>
        <Button
          size="compact-sm"
          variant="default"
          c={isGrave ? 'var(--state-failed)' : undefined}
          onClick={ask.open}
        >
          {action}
        </Button>
      </Explained>
      {name === undefined ? (
        <Confirm {...question} isGrave={isGrave} decline={props.decline}>
          {props.children}
        </Confirm>
      ) : (
        <ConfirmByName {...question} name={name}>
          {props.children}
        </ConfirmByName>
      )}
    </>
  );
}
