import { Tooltip } from '@mantine/core';
import { cloneElement, type ReactElement } from 'react';
import { type Permission, useMissing } from '../app/session';

interface Control {
  readonly disabled?: boolean;
  readonly 'data-disabled'?: boolean;
}

interface AllowedProps {
  /** Or permissions of which any is enough. */
  readonly to: Permission | readonly Permission[];
  /** Why those who may cannot press it now; null: they can. */
  readonly reason?: string | null;
  readonly children: ReactElement<Control>;
}

/** A button that only some may press; for the others it is grey and says which permission is missing. */
export function Allowed({ to, reason = null, children }: AllowedProps) {
  const missing = useMissing(to);
  return <Explained reason={missing ?? reason}>{children}</Explained>;
}

/** A control that cannot be used now, with the reason. @param reason null: it can be used */
export function Explained({ reason, children }: { reason: string | null; children: ReactElement<Control> }) {
  if (reason === null) return children;
  return (
    <Tooltip label={reason} multiline maw={320} withArrow events={{ hover: true, focus: true, touch: true }}>
      {/* A disabled button takes no focus: the reason must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <span tabIndex={0} role="note" aria-label={reason}>
        {cloneElement(children, { disabled: true })}
      </span>
    </Tooltip>
  );
}
