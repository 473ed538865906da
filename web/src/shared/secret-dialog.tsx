import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text';

interface SecretDialogProps {
  readonly opened?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** From then on it is closed by its buttons alone. */
  readonly holdsSecret: boolean;
  readonly children: ReactNode;
}

/** Neither a click beside it nor a key loses what is shown only once. */
export function SecretDialog({ opened = true, holdsSecret, ...rest }: SecretDialogProps) {
  return (
    <Modal
      {...rest}
      opened={opened}
      size="lg"
      closeOnClickOutside={!holdsSecret}
      closeOnEscape={!holdsSecret}
      closeButtonProps={{ 'aria-label': text.shared.close }}
    />
  );
}
