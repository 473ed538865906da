import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../app/session';
import { text } from '../text';
import { modelNamesQuery, versionsQuery } from './model-versions';

interface ModelSelectProps {
  readonly label: string;
  readonly nothingFound: string;
  /** Empty: none is chosen. */
  readonly value: string;
  readonly onChange: (model: string) => void;
}

/** A model of the tenant. */
export function ModelSelect({ label, nothingFound, value, onChange }: ModelSelectProps) {
  const names = useQuery(modelNamesQuery(useTenant()));
  return (
    <Select
      label={label}
      required
      searchable
      nothingFoundMessage={nothingFound}
      data={[...new Set([...(names.data ?? []), ...(value === '' ? [] : [value])])]}
      value={value || null}
      onChange={(model) => onChange(model ?? '')}
    />
  );
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
