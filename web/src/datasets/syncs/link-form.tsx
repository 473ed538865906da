import { Anchor, Autocomplete, Button, Group, Select, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { INTERVALS, secondsOf } from './interval';
import { sourcesQuery } from './queries';

const words = text.sources.link;

interface LinkFormProps {
  readonly datasetId: string;
  readonly link: Schemas['LinkOut'];
  readonly onDone: () => void;
}

/** Links a dataset to one of a source; names of the source's datasets are offered. */
export function LinkForm({ datasetId, link, onDone }: LinkFormProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const sources = useQuery(sourcesQuery(tenant));
  const [source, setSource] = useState(link.source_id);
  const [remote, setRemote] = useState(link.remote_dataset_id ?? '');
  const [interval, setInterval] = useState(String(link.interval_s ?? ''));
  const offered = useQuery({
    queryKey: [tenant.code, 'sources', source, 'offered'],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/external-sources/{source_id}/remote-datasets', {
          params: { path: { source_id: source ?? '' }, query: { page_size: 100 } },
          signal,
        }),
      ),
    enabled: source !== null,
    retry: false,
  });
  const save = useMutation({
    mutationFn: () =>
      body(
        tenant.api.PUT('/api/v1/datasets/{dataset_id}/source', {
          params: { path: { dataset_id: datasetId } },
          body: { source_id: source ?? '', remote_dataset_id: remote, interval_s: secondsOf(interval) },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets', datasetId] });
      onDone();
    },
  });
  if (sources.data?.items.length === 0)
    return (
      <Text size="sm">
        {words.noSources}{' '}
        <Anchor
          size="sm"
          renderRoot={(props: object) => (
            <Link to="/t/$tenant/sources" params={{ tenant: tenant.code }} {...props} />
          )}
        >
          {text.sources.new}
        </Anchor>
      </Text>
    );
  const options = INTERVALS.some(({ value }) => value === interval)
    ? INTERVALS
    : [...INTERVALS, { value: interval, label: text.units.seconds(interval) }];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <Select
          label={words.source}
          required
          data={(sources.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={source}
          onChange={setSource}
        />
        <Autocomplete
          label={words.remote}
          placeholder={words.remoteHint}
          required
          data={(offered.data?.items ?? []).map(({ id }) => id)}
          value={remote}
          onChange={setRemote}
        />
        <Select
          label={words.repeat}
          data={options}
          value={interval}
          allowDeselect={false}
          onChange={(value) => setInterval(value ?? '')}
        />
        <Button type="submit" loading={save.isPending} disabled={source === null || remote === ''}>
          {words.save}
        </Button>
      </Group>
      {offered.error !== null && <Reading query={offered} />}
      {save.isError && <ErrorCard error={save.error} />}
    </form>
  );
}
