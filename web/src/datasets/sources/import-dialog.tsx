import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../shared/dialog';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { CopyCurl } from '../../shared/copy-curl';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import type { Source } from '../queries';
import { INTERVALS, secondsOf } from '../syncs/interval';

const words = text.sources.remote;

interface ImportProps {
  readonly source: Source;
  readonly remote: Schemas['RemoteDatasetOut'];
  readonly onClose: () => void;
}

/** Makes a dataset here of one there and shows its first sync. */
export function ImportDialog({ source, remote, onClose }: ImportProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(remote.name);
  const [interval, setInterval] = useState('');
  const given = {
    source_id: source.id,
    remote_dataset_id: remote.id,
    name: name.trim(),
    interval_s: secondsOf(interval),
  };
  const start = useMutation({
    mutationFn: () => body(tenant.api.POST('/api/v1/datasets:from-external', { body: given })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [tenant.code] });
      await navigate({
        to: '/t/$tenant/datasets/$datasetId',
        params: { tenant: tenant.code, datasetId: id },
        search: { tab: 'source' },
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Dialog onClose={onClose} title={words.importTitle(remote.name)} isBusy={start.isPending}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{words.importHint}</Text>
          <TextInput
            label={words.as}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={words.repeat}
            data={INTERVALS}
            value={interval}
            allowDeselect={false}
            onChange={(value) => setInterval(value ?? '')}
          />
          {start.isError && <ErrorCard error={start.error} />}
          <Group justify="space-between">
            <CopyCurl call={{ method: 'POST', path: '/api/v1/datasets:from-external', body: given }} />
            <Button type="submit" loading={start.isPending}>
              {words.start}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
