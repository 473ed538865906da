import { Checkbox, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { columnVisibilityFeature, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import { text } from '../../text';
import type { Column, Sort } from './column';

/** Keys of the chosen rows. */
export type Selection = Record<string, true>;

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });

interface DataTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** What the box that chooses a row calls it; by itself its key. */
  readonly nameOf?: (row: T) => string;
  /** Keys of rows that are there no more; they keep their place. */
  readonly gone?: ReadonlySet<string>;
  readonly hidden?: readonly string[];
  readonly sort?: Sort | null;
  readonly onSort?: (column: Column<T>) => void;
  /** Rows can be chosen when it is given. */
  readonly selection?: Selection;
  readonly onSelection?: (selection: Selection) => void;
}

/** Rows under a head that stays in sight. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { columns, rows, keyOf, nameOf = keyOf, gone, hidden = [], selection, onSelection } = props;
  const defs = useMemo(
    () => columns.map((column) => ({ id: column.id, accessorFn: (row: T) => row })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const rowSelection = selection ?? {};
  const table = useTable({
    features,
    columns: defs as never[],
    data: data as never[],
    getRowId: (row) => keyOf(row as T),
    state: {
      columnVisibility: Object.fromEntries(hidden.map((id) => [id, false])),
      rowSelection,
    },
    onRowSelectionChange: (change) =>
      onSelection?.((typeof change === 'function' ? change(rowSelection) : change) as Selection),
  });
  const shown = columns.filter((column) => !hidden.includes(column.id));
  const isPartly = table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected();
  return (
    <Table.ScrollContainer minWidth={Math.min(shown.length * 110, 700)}>
      <Table
        highlightOnHover
        verticalSpacing={6}
        horizontalSpacing="sm"
        stickyHeader
        aria-label={props.label}
      >
        <Table.Thead>
          <Table.Tr>
            {onSelection && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label={text.lists.selectAll}
                  checked={table.getIsAllRowsSelected()}
                  indeterminate={isPartly}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                />
              </Table.Th>
            )}
            {shown.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort ?? null} onSort={props.onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <Table.Tr
              key={row.id}
              bg={row.getIsSelected() ? 'var(--ground-quiet)' : undefined}
              opacity={gone?.has(row.id) ? 0.45 : undefined}
            >
              {onSelection && (
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={`${text.lists.select} ${nameOf(row.original as T)}`}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </Table.Td>
              )}
              {shown.map((column) => (
                <Table.Td key={column.id} ta={column.align}>
                  {column.cell(row.original as T)}
                  {column === shown[0] && gone?.has(row.id) && (
                    <VisuallyHidden>{text.lists.gone}</VisuallyHidden>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function HeadCell<T>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>;
  sort: Sort | null;
  onSort?: (column: Column<T>) => void;
}) {
  const by = column.sort;
  if (by === undefined || onSort === undefined)
    return (
      <Table.Th ta={column.align} style={{ whiteSpace: 'nowrap' }}>
        {column.label}
      </Table.Th>
    );
  const isSorted = sort?.by === by;
  const Icon = !isSorted ? IconArrowsSort : sort.order === 'asc' ? IconArrowUp : IconArrowDown;
  const direction = isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : 'none';
  return (
    <Table.Th ta={column.align} aria-sort={direction}>
      <UnstyledButton
        onClick={() => onSort(column)}
        fz="inherit"
        fw="inherit"
        style={{ display: 'inline-flex', alignItems: 'center', gap: 4, whiteSpace: 'nowrap' }}
      >
        {column.label}
        <Icon size={13} aria-hidden style={{ opacity: isSorted ? 1 : 0.45 }} />
      </UnstyledButton>
    </Table.Th>
  );
}
