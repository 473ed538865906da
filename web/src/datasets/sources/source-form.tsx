import { Checkbox, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import type { Source } from '../queries';

const words = text.sources.form;
const URL_FORM = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i;

interface SourceFormProps {
  /** Null: a new one. */
  readonly source: Source | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved?: (source: Source) => void;
}

/** Adds or changes a source. The token goes there and never comes back. */
export function SourceForm({ source, isOpen, onClose, onSaved }: SourceFormProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: source?.name ?? '',
      url: source?.base_url ?? '',
      token: '',
      clearToken: false,
      description: source?.description ?? '',
      enabled: source?.enabled ?? true,
    },
    validate: { url: (url) => (URL_FORM.test(url.trim()) ? null : words.urlBad) },
  });
  const save = useMutation({
    mutationFn: (given: typeof form.values) => {
      const fields = {
        name: given.name.trim(),
        base_url: given.url.trim(),
        description: given.description,
        enabled: given.enabled,
        ...(given.clearToken ? { token: null } : given.token === '' ? {} : { token: given.token }),
      };
      return body(
        source === null
          ? tenant.api.POST('/api/v1/external-sources', { body: fields })
          : tenant.api.PATCH('/api/v1/external-sources/{source_id}', {
              params: { path: { source_id: source.id } },
              body: fields,
            }),
      );
    },
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'sources'] });
      form.setFieldValue('token', '');
      onClose();
      onSaved?.(saved);
    },
  });
  const hasToken = source !== null && source.token !== null;
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={source === null ? words.addTitle : words.editTitle}
      isBusy={save.isPending}
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <TextInput
            label={words.name}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label={words.url}
            description={words.urlHint}
            placeholder="https://archive.example.org/datasets-api"
            required
            {...form.getInputProps('url')}
          />
          <PasswordInput
            label={words.token}
            description={hasToken ? words.tokenKept : words.tokenHint}
            autoComplete="off"
            disabled={form.values.clearToken}
            {...form.getInputProps('token')}
          />
          {hasToken && (
            <Checkbox label={words.tokenClear} {...form.getInputProps('clearToken', { type: 'checkbox' })} />
          )}
          <Textarea
            label={words.description}
            maxLength={2000}
            autosize
            minRows={2}
            {...form.getInputProps('description')}
          />
          <Checkbox label={words.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          {save.isError && <ErrorCard error={save.error} />}
          <DialogEnd
            onCancel={onClose}
            action={source === null ? words.add : text.shared.save}
            isBusy={save.isPending}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
