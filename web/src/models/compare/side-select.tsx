import { Select } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../text';
import type { ModelVersion } from '../queries';
import { offeredVersions } from './version-diff';

/** The versions of a model as they are known here. */
export interface Versions {
  /** The newest. */
  readonly read: readonly ModelVersion[];
  readonly total: number;
  readonly production: readonly number[];
}

interface SideSelectProps {
  readonly label: string;
  readonly value: number;
  /** Both sides. */
  readonly compared: readonly number[];
  readonly versions: Versions;
  readonly onChange: (version: number) => void;
}

/** One of the versions that are compared; an old one is chosen by its number. */
export function SideSelect({ label, value, compared, versions, onChange }: SideSelectProps) {
  const [typed, setTyped] = useState('');
  const { read, total, production } = versions;
  const numbers = offeredVersions(
    [...compared, ...production],
    read.map(({ version }) => version),
    total,
    typed,
  );
  return (
    <Select
      w={200}
      label={label}
      searchable
      onSearchChange={setTyped}
      allowDeselect={false}
      data={numbers.map((number) => ({ value: String(number), label: labelOf(number, versions) }))}
      value={String(value)}
      onChange={(chosen) => chosen !== null && onChange(Number(chosen))}
    />
  );
}

function labelOf(number: number, { read, production }: Versions): string {
  const known = read.find(({ version }) => version === number)?.stage ?? 'None';
  const stage = production.includes(number) ? 'Production' : known;
  const label = text.models.version(number);
  return stage === 'None' ? label : `${label} · ${text.models.stages[stage]}`;
}
