import { Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { api, body } from '../../api/client';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { tenantSettingsQuery } from '../../shared/tenant-settings';

/** @param onMade called once the lists of tenants know of it */
export function CreateTenant({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const words = text.admin.tenants;
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const shownCode = code ?? codeOf(name);
  const create = useMutation({
    mutationFn: () =>
      body(api.POST('/api/v1/settings/tenants', { body: { code: shownCode, name: name.trim() } })),
    onSuccess: async (tenant) => {
      notifications.show({ message: words.made(tenant.name) });
      onClose();
      await Promise.all(
        [tenantSettingsQuery.queryKey, ['tenants']].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
      onMade();
    },
  });
  return (
    <Dialog onClose={onClose} title={words.create} isBusy={create.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack gap="md">
          <TextInput
            label={words.name}
            required
            maxLength={200}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={words.code}
            description={words.codeHint}
            required
            maxLength={40}
            pattern="[a-z0-9]([a-z0-9\-]{0,38}[a-z0-9])?"
            autoComplete="off"
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={shownCode}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          {create.isError && <ErrorCard error={create.error} />}
          <DialogEnd onCancel={onClose} action={words.make} isBusy={create.isPending} />
        </Stack>
      </form>
    </Dialog>
  );
}

/** A code that fits the name, for those who do not want another. */
const codeOf = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
