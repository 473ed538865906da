import { Autocomplete, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../../../app/session';
import { Choice } from '../../../shared/choice';
import { VersionSelect } from '../../../shared/version-select';
import { text } from '../../../text';
import { fleetQuery } from '../../queries';
import type { FieldsProps } from './fields-props';

const words = text.deployments.fresh;

/** Which devices get it. */
export function WhereFields({ draft, onChange }: FieldsProps) {
  return (
    <Stack gap="md">
      <Choice
        label={words.where}
        options={words.targets}
        value={draft.target}
        onChange={(target) => onChange({ target })}
      />
      {draft.target === 'device' && <DeviceSelect draft={draft} onChange={onChange} />}
      {draft.target === 'selection' && <Selection draft={draft} onChange={onChange} />}
    </Stack>
  );
}

/** Devices whose id holds what is typed. */
function useFound(typed: string) {
  const [q] = useDebouncedValue(typed.trim(), 200);
  return useQuery(fleetQuery(useTenant(), q === '' ? {} : { q })).data;
}

function DeviceSelect({ draft, onChange }: FieldsProps) {
  const [typed, setTyped] = useState('');
  const found = useFound(typed === draft.device ? '' : typed);
  const ids = (found?.items ?? []).map(({ id }) => id);
  return (
    <Select
      label={words.device}
      description={words.deviceHint}
      required
      searchable
      maw={400}
      nothingFoundMessage={words.noDevice}
      // The server has searched already.
      filter={({ options }) => options}
      data={draft.device === '' || ids.includes(draft.device) ? ids : [draft.device, ...ids]}
      onSearchChange={setTyped}
      value={draft.device || null}
      onChange={(device) => onChange({ device: device ?? '' })}
    />
  );
}

function Selection({ draft, onChange }: FieldsProps) {
  const [typed, setTyped] = useState('');
  const found = useFound(typed);
  const systems = [...new Set((found?.items ?? []).flatMap(({ os }) => os ?? []))].sort();
  const locations = (found?.locations ?? []).flatMap(({ location }) => location ?? []);
  return (
    <Stack gap="sm">
      <TagsInput
        label={words.ids}
        description={words.idsHint}
        splitChars={[',', ' ', '\n', '\t']}
        data={(found?.items ?? []).map(({ id }) => id)}
        onSearchChange={setTyped}
        value={[...draft.ids]}
        onChange={(ids) => onChange({ ids })}
      />
      <Group grow align="flex-start" gap="sm" preventGrowOverflow={false}>
        <Autocomplete
          label={words.location}
          placeholder={words.any}
          maxLength={200}
          data={locations}
          value={draft.location}
          onChange={(location) => onChange({ location })}
        />
        <Autocomplete
          label={words.os}
          placeholder={words.any}
          maxLength={200}
          data={systems}
          value={draft.os}
          onChange={(os) => onChange({ os })}
        />
        <VersionSelect
          label={words.current}
          placeholder={words.any}
          model={draft.model}
          value={draft.current}
          onChange={(current) => onChange({ current })}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {words.together}
      </Text>
    </Stack>
  );
}
