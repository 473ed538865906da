import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { text } from '../text';

/** Time to read what was done and to take it back. */
const SHOWN_MS = 10_000;

/** Says in a corner of the page what was done, with a button that takes it back. */
export function notifyUndo(message: string, run: () => unknown): void {
  const undo = async () => {
    notifications.hide(id);
    try {
      await run();
    } catch (error) {
      const message = error instanceof Error ? error.message : text.errors.unexpected;
      notifications.show({ color: 'red', message, autoClose: false });
    }
  };
  const id = notifications.show({
    autoClose: SHOWN_MS,
    closeButtonProps: { 'aria-label': text.shared.close },
    message: (
      <Group justify="space-between" gap="sm">
        <Text size="sm">{message}</Text>
        <Button size="compact-sm" variant="default" onClick={() => void undo()}>
          {text.shared.undo}
        </Button>
      </Group>
    ),
  });
}
