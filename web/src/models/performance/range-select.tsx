import { Select } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useSearchChange } from '../../shared/search-change';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';

const DEFAULT = '24h';

/** The time range of the address. */
export function useRange(): string {
  const { range }: TabSearch = useSearch({ strict: false });
  return typeof range === 'string' && /^[1-9]\d{0,4}[mhd]$/.test(range) ? range : DEFAULT;
}

export function RangeSelect() {
  const range = useRange();
  const change = useSearchChange();
  const known = Object.entries(text.models.ranges).map(([value, label]) => ({ value, label }));
  return (
    <Select
      w={180}
      label={text.models.range}
      allowDeselect={false}
      data={known.some(({ value }) => value === range) ? known : [...known, { value: range, label: range }]}
      value={range}
      onChange={(value) => change({ range: value === DEFAULT ? undefined : (value ?? undefined) })}
    />
  );
}
