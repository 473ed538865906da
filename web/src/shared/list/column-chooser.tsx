import { ActionIcon, Checkbox, Popover, Stack, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useLocalStorage } from '@mantine/hooks';
import { text } from '../../text';
import type { Column } from './column';

/** Ids of the columns that somebody does not want to see, kept in this browser. @param label name of the list */
export const useHiddenColumns = <T,>(label: string, columns: readonly Column<T>[]) =>
  useLocalStorage<string[]>({
    key: `visionops.columns.${label}`,
    defaultValue: columns.filter((column) => column.isExtra).map((column) => column.id),
    getInitialValueInEffect: false,
  });

interface ColumnChooserProps<T> {
  readonly columns: readonly Column<T>[];
  readonly hidden: readonly string[];
  readonly onHidden: (hidden: string[]) => void;
}

/** Which columns of a list are shown; the first one always is. */
export function ColumnChooser<T>({ columns, hidden, onHidden }: ColumnChooserProps<T>) {
  return (
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
  );
}
