import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { text } from '../text';
import { ErrorCard } from './error-card';

interface ConfirmProps {
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
export function ConfirmByName({ opened, onClose, title, children, name, action, run }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const mutation = useMutation({ mutationFn: run, onSuccess: close });
  function close() {
    setTyped('');
    mutation.reset();
    onClose();
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      closeButtonProps={{ 'aria-label': text.shared.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) mutation.mutate();
        }}
      >
        <Stack gap="md">
          <Text component="div">{children}</Text>
          <TextInput
            label={text.shared.typeName(name)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {mutation.isError && <ErrorCard error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {text.shared.cancel}
            </Button>
            <Button type="submit" color="red" disabled={typed !== name} loading={mutation.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
