import { ActionIcon, Checkbox, Group, Popover, Select, Stack, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { text } from '../../text';
import type { SearchChange } from '../search-change';
import type { Column, Filter, ListSearch } from './column';
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
        <Select
          key={filter.key}
          size="sm"
          w={180}
          aria-label={filter.label}
          placeholder={filter.label}
          clearable
          clearButtonProps={{ 'aria-label': text.lists.clearFilter(filter.label) }}
          data={[...filter.options]}
          value={(search[filter.key] as string | undefined) ?? null}
          onChange={(value) => change({ [filter.key]: value ?? undefined, page: undefined })}
        />
      ))}
      <Group gap="sm" wrap="nowrap" ml="auto">
        <SavedViews label={label} search={search} change={change} hidden={hidden} onHidden={onHidden} />
        <Popover position="bottom-end" withArrow trapFocus>
          <Popover.Target>
            <Tooltip label={text.lists.columns} withArrow>
              <ActionIcon variant="default" size={36} aria-label={text.lists.columns}>
                <IconColumns3 size={17} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Popover.Target>
          <Popover.Dropdown>
            <Stack gap="xs">
              {columns.slice(1).map((column) => (
                <Checkbox
                  key={column.id}
                  size="sm"
                  label={column.label}
                  checked={!hidden.includes(column.id)}
                  onChange={(event) =>
                    onHidden(
                      event.currentTarget.checked
                        ? hidden.filter((id) => id !== column.id)
                        : [...hidden, column.id],
                    )
                  }
                />
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
      </Group>
    </Group>
  );
}
