import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { presetOf } from './draft';
import { presetsQuery } from './queries';
import type { DraftControl } from './use-draft';

/** Configs to begin with: load one, keep this one, delete one of the tenant's. */
export function Presets({ control }: { control: DraftControl }) {
  const words = text.training.wizard.parameters;
  const tenant = useTenant();
  const client = useQueryClient();
  const [isSaving, save] = useDisclosure(false);
  const [isAsked, ask] = useDisclosure(false);
  const presets = useQuery(presetsQuery(tenant)).data?.items ?? [];
  const chosen = presets.find(({ id }) => id === control.preset);
  const group = (label: string, isBuiltIn: boolean) => ({
    group: label,
    items: presets
      .filter(({ built_in }) => built_in === isBuiltIn)
      .map(({ id, name }) => ({ value: id, label: name })),
  });
  return (
    <Group gap="sm" align="flex-end">
      <Select
        w={220}
        label={words.presets}
        placeholder={words.load}
        data={[group(words.own, false), group(words.builtIn, true)].filter(({ items }) => items.length > 0)}
        value={control.preset}
        onChange={(id) => {
          const preset = presets.find((entry) => entry.id === id);
          if (preset) control.loadPreset(preset);
        }}
      />
      <Allowed to="DEVELOP">
        <Button variant="default" onClick={save.open}>
          {words.save}
        </Button>
      </Allowed>
      {chosen && !chosen.built_in && (
        <Allowed to="DEVELOP">
          <Button variant="default" c="var(--state-failed)" onClick={ask.open}>
            {words.removeAction}
          </Button>
        </Allowed>
      )}
      {chosen && chosen.description !== '' && (
        <Text size="sm" c="dimmed" w="100%">
          {chosen.description}
        </Text>
      )}
      <SaveDialog control={control} opened={isSaving} onClose={save.close} />
      {chosen && (
        <ConfirmByName
          opened={isAsked}
          onClose={ask.close}
          title={words.remove(chosen.name)}
          name={chosen.name}
          action={words.removeAction}
          run={async () => {
            await body(
              tenant.api.DELETE('/api/v1/training/presets/{preset_id}', {
                params: { path: { preset_id: chosen.id } },
              }),
            );
            control.forgetPreset();
            await client.invalidateQueries({ queryKey: presetsQuery(tenant).queryKey });
          }}
        >
          {words.removeWhat}
        </ConfirmByName>
      )}
    </Group>
  );
}

interface SaveDialogProps {
  readonly control: DraftControl;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function SaveDialog({ control, opened, onClose }: SaveDialogProps) {
  const words = text.training.wizard.parameters;
  const tenant = useTenant();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const save = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/training/presets', {
          body: {
            name: name.trim(),
            description: description.trim(),
            config: presetOf(control.draft) as unknown as Schemas['PresetConfig'],
          },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: presetsQuery(tenant).queryKey });
      notifications.show({ message: words.saved });
      setName('');
      setDescription('');
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={words.saveTitle} isBusy={save.isPending}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{words.saveHint}</Text>
          <TextInput
            label={words.name}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label={words.description}
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {save.isError && <ErrorCard error={save.error} />}
          <DialogEnd
            onCancel={onClose}
            action={text.shared.save}
            isBusy={save.isPending}
            isReady={presetOf(control.draft) !== null}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
