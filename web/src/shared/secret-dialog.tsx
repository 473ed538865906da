import type { ReactNode } from 'react';
import { Dialog } from './dialog';

interface SecretDialogProps {
  /** Left out where it stands in the page only while it is open. */
  readonly opened?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The secret is on its way: nothing closes the dialog. */
  readonly isBusy?: boolean;
  /** From then on it is closed by its buttons alone. */
  readonly holdsSecret: boolean;
  readonly children: ReactNode;
}

/** Neither a click beside it nor a key loses what is shown only once. */
export function SecretDialog({ holdsSecret, ...rest }: SecretDialogProps) {
  return <Dialog {...rest} size="lg" closeOnClickOutside={!holdsSecret} closeOnEscape={!holdsSecret} />;
}
