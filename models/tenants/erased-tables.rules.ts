/**
 * A table with a tenant, found in the catalog: one that a migration adds is erased without anybody naming it.
 */
export interface TenantTable {
  readonly name: string;
  /** False: no index begins with the tenant, so the table is read in ranges of its pages. */
  readonly isIndexed: boolean;
  readonly isPartitioned: boolean;
  readonly pages: number;
  /** Columns to be emptied before any row goes: references that would close a circle of tables. */
  readonly unlink: readonly string[];
}

export interface Reference {
  readonly parent: string;
  /** Its own columns, without the tenant. */
  readonly columns: readonly string[];
  /** All of them may be null. */
  readonly isOptional: boolean;
}

export interface FoundTable extends Omit<TenantTable, 'unlink'> {
  readonly references: readonly Reference[];
}

/**
 * @throws Error when tables refer to each other in a circle that no optional reference opens, which a
 *   migration must not do
 */
export function inOrder(found: readonly FoundTable[]): TenantTable[] {
  const parents = new Set(found.flatMap((table) => table.references.map((reference) => reference.parent)));
  const isTied = (table: FoundTable) => table.references.length > 0 || parents.has(table.name);
  const ordered: FoundTable[] = [];
  const unlinked = new Map<string, readonly string[]>();
  for (let left = found.filter(isTied); left.length > 0; ) {
    const referred = new Set(left.flatMap((table) => table.references.map((reference) => reference.parent)));
    const free = left.filter((table) => !referred.has(table.name));
    ordered.push(...free);
    left =
      free.length > 0
        ? left.filter((table) => !free.includes(table))
        : left.map((table) => opened(table, left, unlinked));
  }
  return [...ordered, ...found.filter((table) => !isTied(table))].map(
    ({ references: _references, ...table }) => ({ ...table, unlink: unlinked.get(table.name) ?? [] }),
  );
}

/** Takes the optional references out of a circle. */
function opened(
  table: FoundTable,
  circle: readonly FoundTable[],
  unlinked: Map<string, readonly string[]>,
): FoundTable {
  if (!circle.some((each) => each.references.some((reference) => reference.isOptional)))
    throw new Error(
      `These tables refer to each other in a circle: ${circle.map((each) => each.name).join(', ')}.`,
    );
  const isInside = (reference: Reference) =>
    reference.isOptional && circle.some((each) => each.name === reference.parent);
  const columns = table.references.filter(isInside).flatMap((reference) => reference.columns);
  if (columns.length > 0) unlinked.set(table.name, [...(unlinked.get(table.name) ?? []), ...columns]);
  return { ...table, references: table.references.filter((reference) => !isInside(reference)) };
}
