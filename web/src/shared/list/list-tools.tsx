import { Group } from '@mantine/core';
import { text } from '../../text';
import type { SearchChange } from '../search-change';
import type { Column, Filter, ListSearch } from './column';
import { ColumnChooser } from './column-chooser';
import { FilterSelect } from './filter-select';
import { SavedViews } from './saved-views';
import { SearchBox } from './search-box';

interface ToolsProps<T> {
  readonly label: string;
  readonly search: ListSearch;
  readonly change: SearchChange;
  readonly filters: readonly Filter[];
  readonly isSearchable: boolean;
  readonly columns: readonly Column<T>[];
  readonly hidden: readonly string[];
  readonly onHidden: (hidden: string[]) => void;
}

/** Search, filters, saved views and the choice of columns above a list. */
export function ListTools<T>({
  label,
  search,
  change,
  filters,
  isSearchable,
  columns,
  hidden,
  onHidden,
}: ToolsProps<T>) {
  return (
    <Group gap="sm" wrap="wrap" role="search">
      {isSearchable && (
        <SearchBox
          label={text.lists.search}
          hint={text.lists.searchHint}
          width={260}
          q={search.q ?? ''}
          onSearch={(q) => change({ q: q || undefined, page: undefined }, { replace: true })}
        />
      )}
      {filters.map((filter) => (
        <FilterSelect key={filter.key} filter={filter} search={search} change={change} />
      ))}
      <Group gap="sm" wrap="nowrap" ml="auto">
        <SavedViews label={label} search={search} change={change} hidden={hidden} onHidden={onHidden} />
        <ColumnChooser columns={columns} hidden={hidden} onHidden={onHidden} />
      </Group>
    </Group>
  );
}
