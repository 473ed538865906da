import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/** An open dialog that stands in the page only while it is open. It gives the focus back to what opened it. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useReturnFocus();
  return <Modal opened {...props} />;
}

/** Modal does so only where it saw `opened` change. */
function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the focus trap has let go.
      setTimeout(() => {
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}
