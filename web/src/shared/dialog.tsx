import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { text } from '../text';

interface DialogProps extends Omit<ModalProps, 'opened'> {
  /** Left out where it stands in the page only while it is open. */
  readonly opened?: boolean;
  /** What was sent goes on, and its answer is shown here: no key, no click and no button closes it before that. */
  readonly isBusy?: boolean;
}

/** A dialog over the page. It gives the focus back to what opened it. */
export function Dialog({ opened, isBusy = false, ...rest }: DialogProps) {
  const shown = {
    closeButtonProps: { 'aria-label': text.shared.close },
    ...rest,
    ...(isBusy && { closeOnEscape: false, closeOnClickOutside: false, withCloseButton: false }),
  };
  return opened === undefined ? <OpenDialog {...shown} /> : <Modal {...shown} opened={opened} />;
}

function OpenDialog(props: Omit<ModalProps, 'opened'>) {
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
