import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text';
import { Dialog } from './dialog';

interface SecretDialogProps {
  /** Left out where it stands in the page only while it is open. */
  readonly opened?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** From then on it is closed by its buttons alone. */
  readonly holdsSecret: boolean;
  readonly children: ReactNode;
}

/** Neither a click beside it nor a key loses what is shown only once. */
export function SecretDialog({ opened, holdsSecret, ...rest }: SecretDialogProps) {
  const shown = {
    ...rest,
    size: 'lg',
    closeOnClickOutside: !holdsSecret,
    closeOnEscape: !holdsSecret,
    closeButtonProps: { 'aria-label': text.shared.close },
  };
  return opened === undefined ? <Dialog {...shown} /> : <Modal {...shown} opened={opened} />;
}
