import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { text } from '../text';
import { Confirm } from './confirm';

interface ConfirmByNameProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** What happens, in one question: "Delete the dataset shades?" */
  readonly title: string;
  /** What is lost and what stays. */
  readonly children: ReactNode;
  /** What has to be typed. */
  readonly name: string;
  readonly action: string;
  readonly run: () => Promise<unknown>;
}

/** Destroying asks for the name. */
export function ConfirmByName({ name, onClose, ...rest }: ConfirmByNameProps) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Confirm
      {...rest}
      onClose={close}
      isReady={typed === name}
      field={
        <TextInput
          label={text.shared.typeName(name)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      }
    />
  );
}
