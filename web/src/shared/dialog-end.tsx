import { Button, Group } from '@mantine/core';
import { text } from '../text';

interface DialogEndProps {
  readonly onCancel: () => void;
  /** On the button that sends the form. */
  readonly action: string;
  /** It was sent and is not answered. */
  readonly isBusy: boolean;
  readonly isReady?: boolean;
}

/** The buttons below a form in a dialog. */
export function DialogEnd({ onCancel, action, isBusy, isReady = true }: DialogEndProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel} disabled={isBusy}>
        {text.shared.cancel}
      </Button>
      <Button type="submit" loading={isBusy} disabled={!isReady}>
        {action}
      </Button>
    </Group>
  );
}
