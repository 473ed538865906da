import { Autocomplete, JsonInput, Select, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Dialog } from '../../shared/dialog';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { useDeviceRenewal } from '../device/use-device-change';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { pathOf } from '../queries';
import { argsOf, isCommandType } from './command-form';

const words = text.edge.commands;

interface NewCommandProps {
  readonly id: string;
  readonly onClose: () => void;
  /** Once the list is read again. */
  readonly onMade: () => void;
}

/** Asks what a device is to do. */
export function NewCommand({ id, onClose, onMade }: NewCommandProps) {
  const form = useForm({
    initialValues: { type: '', args: '', expires: '' },
    validate: {
      type: (type) => (isCommandType(type) ? null : words.typeBad),
      args: (args) => (argsOf(args) === null ? words.argsBad : null),
    },
  });
  const send = useSending(id, async (renewed) => {
    onClose();
    await renewed;
    onMade();
  });
  return (
    <Dialog onClose={onClose} title={words.create} isBusy={send.isPending}>
      <form onSubmit={form.onSubmit((values) => send.mutate(values))}>
        <Stack gap="md">
          <Autocomplete
            label={words.type}
            description={words.typeHint}
            data={Object.keys(words.known)}
            required
            maxLength={64}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('type')}
          />
          <JsonInput
            label={words.args}
            description={words.argsHint}
            autosize
            minRows={3}
            formatOnBlur
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            {...form.getInputProps('args')}
          />
          <Select
            label={words.expires}
            allowDeselect={false}
            data={Object.entries(words.expiry).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('expires')}
          />
          {send.isError && <ErrorCard error={send.error} />}
          <DialogEnd onCancel={onClose} action={words.send} isBusy={send.isPending} />
        </Stack>
      </form>
    </Dialog>
  );
}

interface Typed {
  readonly type: string;
  readonly args: string;
  /** Seconds; empty: never. */
  readonly expires: string;
}

/** @param onSent gets what is done when the device's page is read again */
function useSending(id: string, onSent: (renewed: Promise<void>) => Promise<void>) {
  const tenant = useTenant();
  const renew = useDeviceRenewal(id);
  return useMutation({
    mutationFn: ({ type, args, expires }: Typed) =>
      body(
        tenant.api.POST('/api/v1/edge/devices/{device_id}/commands', {
          params: pathOf(id),
          body: {
            type: type.trim(),
            args: argsOf(args) ?? {},
            ...(expires === '' ? {} : { expires_in_s: Number(expires) }),
          },
        }),
      ),
    onSuccess: () => {
      notifications.show({ message: words.sent });
      return onSent(renew());
    },
  });
}
