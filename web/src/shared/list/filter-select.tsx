import { Select } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { text } from '../../text';
import type { SearchChange } from '../search-change';
import type { Filter, ListSearch } from './column';

/** Few lists have one. */
const SearchSelect = lazy(async () => ({ default: (await import('../choices/search-select')).SearchSelect }));

interface FilterSelectProps {
  readonly filter: Filter;
  readonly search: ListSearch;
  readonly change: SearchChange;
}

/** One filter of a list; its choice stands in the address. */
export function FilterSelect({ filter: { key, label, options }, search, change }: FilterSelectProps) {
  const given = search[key];
  const shared = {
    size: 'sm',
    w: 180,
    'aria-label': label,
    placeholder: label,
    clearable: true,
    clearButtonProps: { 'aria-label': text.lists.clearFilter(label) },
    value: given === undefined ? null : String(given),
    onChange: (value: string | null) => change({ [key]: value ?? undefined, page: undefined }),
  };
  if (!('read' in options)) return <Select {...shared} data={[...options]} />;
  return (
    <Suspense fallback={<Select {...shared} data={[]} disabled />}>
      <SearchSelect {...shared} offers={options} />
    </Suspense>
  );
}
