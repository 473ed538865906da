import { Select } from '@mantine/core';
import { text } from '../../text';
import { lazyPart } from '../lazy-part';
import type { SearchChange } from '../search-change';
import type { Filter, ListSearch } from './column';

const LOOK = { size: 'sm', w: 180 };

/** Few lists have one. */
const SearchSelect = lazyPart(async () => (await import('../choices/search-select')).SearchSelect, {
  waiting: <Select {...LOOK} aria-label={text.shared.loading} data={[]} disabled />,
});

interface FilterSelectProps {
  readonly filter: Filter;
  readonly search: ListSearch;
  readonly change: SearchChange;
}

/** One filter of a list; its choice stands in the address. */
export function FilterSelect({ filter: { key, label, options }, search, change }: FilterSelectProps) {
  const given = search[key];
  const shared = {
    ...LOOK,
    'aria-label': label,
    placeholder: label,
    clearable: true,
    clearButtonProps: { 'aria-label': text.lists.clearFilter(label) },
    value: given === undefined ? null : String(given),
    onChange: (value: string | null) => change({ [key]: value ?? undefined, page: undefined }),
  };
  if (!('read' in options)) return <Select {...shared} data={[...options]} />;
  return <SearchSelect {...shared} offers={options} />;
}
