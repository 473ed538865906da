import { Select } from '@mantine/core';
import { text } from '../../text';
import type { SearchChange } from '../search-change';
import type { Filter, ListSearch } from './column';

interface FilterSelectProps {
  readonly filter: Filter;
  readonly search: ListSearch;
  readonly change: SearchChange;
}

/** One filter of a list; its choice stands in the address. */
export function FilterSelect({ filter: { key, label, options }, search, change }: FilterSelectProps) {
  return (
    <Select
      size="sm"
      w={180}
      aria-label={label}
      placeholder={label}
      clearable
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(label) }}
      data={[...options]}
      value={(search[key] as string | undefined) ?? null}
      onChange={(value) => change({ [key]: value ?? undefined, page: undefined })}
    />
  );
}
