import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { text } from '../text';
import { Dialog } from './dialog';
import { ErrorCard } from './error-card';

interface ConfirmProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** What happens, in one question: "Revoke the token?" */
  readonly title: string;
  /** What is lost and what stays. */
  readonly children: ReactNode;
  readonly action: string;
  /** In the place of "Cancel", where that is what is asked about. */
  readonly decline?: string;
  readonly run: () => Promise<unknown>;
  /** False for what can be taken back. */
  readonly isGrave?: boolean;
  /** What has to be filled in first. */
  readonly field?: ReactNode;
  readonly isReady?: boolean;
}

/** Says what something leads to before it is done. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, run, isGrave = true, field, isReady = true } = props;
  const { decline = text.shared.cancel } = props;
  const mutation = useMutation({ mutationFn: run, onSuccess: close });
  function close() {
    mutation.reset();
    onClose();
  }
  return (
    <Dialog opened={opened} onClose={close} title={title} isBusy={mutation.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) mutation.mutate();
        }}
      >
        <Stack gap="md">
          <Text component="div">{children}</Text>
          {field}
          {mutation.isError && <ErrorCard error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={mutation.isPending}>
              {decline}
            </Button>
            <Button
              type="submit"
              color={isGrave ? 'red' : undefined}
              disabled={!isReady}
              loading={mutation.isPending}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
