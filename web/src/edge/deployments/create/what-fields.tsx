import { Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../../app/session';
import { modelNamesQuery, versionsQuery } from '../../../shared/model-versions';
import { Unservable } from '../../../shared/unservable';
import { text } from '../../../text';
import type { FieldsProps } from './fields-props';

const words = text.deployments.fresh;

/** The version of a model that devices get. */
export function WhatFields({ draft, onChange }: FieldsProps) {
  const tenant = useTenant();
  const names = useQuery(modelNamesQuery(tenant));
  const known = [...new Set([...(names.data ?? []), ...(draft.model === '' ? [] : [draft.model])])];
  return (
    <>
      <Group grow align="flex-start" gap="sm">
        <Select
          label={words.model}
          required
          searchable
          nothingFoundMessage={words.noModels}
          data={known}
          value={draft.model || null}
          onChange={(model) => onChange({ model: model ?? '', version: '', current: '', previous: '' })}
        />
        <VersionSelect
          label={words.version}
          isRequired
          model={draft.model}
          value={draft.version}
          onChange={(version) => onChange({ version })}
        />
      </Group>
      <Licence model={draft.model} version={draft.version} />
      {draft.version !== '' && <Unservable model={draft.model} version={Number(draft.version)} />}
      <TextInput
        label={words.image}
        description={words.imageHint}
        maxLength={512}
        value={draft.image}
        onChange={(event) => onChange({ image: event.currentTarget.value })}
      />
    </>
  );
}

/** What the licence of the chosen version asks for goes out to every device with it. */
function Licence({ model, version }: { model: string; version: string }) {
  const versions = useQuery({ ...versionsQuery(useTenant(), model), enabled: model !== '' });
  const chosen = versions.data?.items.find((each) => String(each.version) === version);
  if (!chosen) return null;
  return <Text size="sm">{words.licence(chosen.licence ?? text.models.versionPage.facts.noLicence)}</Text>;
}

interface VersionSelectProps {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly model: string;
  readonly value: string;
  readonly onChange: (version: string) => void;
  readonly isRequired?: boolean;
}

/** A version of the model that is chosen. */
export function VersionSelect(props: VersionSelectProps) {
  const { label, hint, placeholder, model, value, onChange, isRequired = false } = props;
  const versions = useQuery({ ...versionsQuery(useTenant(), model), enabled: model !== '' });
  return (
    <Select
      label={label}
      description={hint}
      placeholder={placeholder}
      required={isRequired}
      disabled={model === ''}
      clearable={!isRequired}
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(label) }}
      data={(versions.data?.items ?? []).map(({ version, stage }) => ({
        value: String(version),
        label:
          stage === 'None'
            ? text.models.version(version)
            : `${text.models.version(version)} · ${text.models.stages[stage]}`,
      }))}
      value={value || null}
      onChange={(version) => onChange(version ?? '')}
    />
  );
}
