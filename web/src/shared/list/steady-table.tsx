import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { UpdatedAgo } from '../updated-ago';
import type { Column } from './column';
import { DataTable } from './data-table';
import { News } from './news';
import { isCurrent, type SeenAt, useSteadyRows } from './steady-rows';

interface SteadyTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** What was read last. */
  readonly fresh: readonly T[];
  readonly keyOf: (row: T) => string;
  /** That which the rows come from. */
  readonly query: SeenAt;
  /** Whatever makes it another list. */
  readonly view?: string;
  /** Keys of the rows that the reader has taken away. */
  readonly own?: ReadonlySet<string>;
  /** Below the rows, in the place of when they were read. */
  readonly foot?: ReactNode;
}

const NONE: ReadonlySet<string> = new Set();

/** A table whose rows are read again while somebody looks at it: none moves under the pointer. */
export function SteadyTable<T>({
  label,
  columns,
  fresh,
  keyOf,
  query,
  view = '',
  own = NONE,
  foot = <UpdatedAgo at={query.dataUpdatedAt} />,
}: SteadyTableProps<T>) {
  const steady = useSteadyRows({ fresh, keyOf, view, isOfView: isCurrent(query), own });
  return (
    <>
      <DataTable label={label} columns={columns} rows={steady.rows} gone={steady.gone} keyOf={keyOf} />
      {/* Its place is kept whatever it says, so that what follows stays where it is. */}
      <Group justify="space-between" mih={30}>
        {foot}
        <div role="status">
          <News fresh={steady.waiting} gone={steady.gone.size} onShow={steady.show} />
        </div>
      </Group>
    </>
  );
}
