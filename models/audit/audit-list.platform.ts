import { sql } from 'kysely';
import { MAX_COUNTED } from '../../core/paging/capped-page.js';
import { likePattern } from '../../core/paging/page.js';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { AuditFilter, AuditPlace, AuditRow, HiddenAudit } from './audit.types.js';
import { isHidden, listActions } from './audit-list.sql.js';
import { microsecondsOf, timeOf } from '../orm/capped-list.js';

const isAfter = ({ atUs, id }: AuditPlace) => sql<boolean>`(e.at, e.id) < (${timeOf(atUs)}, ${id}::bigint)`;

function matches(
  tx: PlatformTransaction,
  { tenantId, actionPrefix, since, until, actor, target, hidden }: AuditFilter,
) {
  let query = tx.kysely.selectFrom('audit_entry as e');
  if (tenantId !== null) query = query.where('e.tenantId', '=', tenantId);
  if (actionPrefix !== null) query = query.where('e.action', 'like', likePattern(actionPrefix).slice(1));
  if (since !== null) query = query.where('e.at', '>=', since);
  if (until !== null) query = query.where('e.at', '<', new Date(until.getTime() + 1));
  if (actor !== null) {
    const pattern = likePattern(actor);
    query = query.where(({ eb, or }) =>
      or([eb('e.actorEmail', 'ilike', pattern), eb('e.actorName', 'ilike', pattern)]),
    );
  }
  if (target !== null) {
    const pattern = likePattern(target);
    query = query.where(({ eb, or }) =>
      or([eb('e.targetId', 'ilike', pattern), eb('e.targetLabel', 'ilike', pattern)]),
    );
  }
  return hidden.length === 0 ? query : query.where(({ not }) => not(isHidden(hidden)));
}

export interface AuditSlice {
  /** Goes on after this entry; null: from the newest on. */
  readonly after: AuditPlace | null;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Entries, newest first. Their keys are found in an index; only the rows of the slice are read, each by its
 * key, which names its partition.
 */
export const listAuditEntries = (db: Database, filter: AuditFilter, slice: AuditSlice): Promise<AuditRow[]> =>
  db.inPlatform((tx) => readEntries(tx, filter, slice));

function readEntries(
  tx: PlatformTransaction,
  filter: AuditFilter,
  { after, offset, limit }: AuditSlice,
): Promise<AuditRow[]> {
  const all = matches(tx, filter);
  const keys = (after === null ? all : all.where(isAfter(after)))
    .select(['e.at', 'e.id'])
    .orderBy('e.at', 'desc')
    .orderBy('e.id', 'desc')
    .limit(limit)
    .offset(offset);
  return (
    tx.kysely
      .selectFrom(keys.as('page'))
      // The limit keeps the planner from reading the whole table instead of one row of one partition each time.
      .innerJoinLateral(
        ({ selectFrom }) =>
          selectFrom('audit_entry as e')
            .whereRef('e.at', '=', 'page.at')
            .whereRef('e.id', '=', 'page.id')
            .selectAll('e')
            .limit(1)
            .as('a'),
        (join) => join.onTrue(),
      )
      .leftJoin('tenant as t', 't.id', 'a.tenantId')
      .select([
        'a.id',
        'a.at',
        't.code as tenantCode',
        'a.actorId',
        'a.actorEmail',
        'a.actorName',
        'a.action',
      ])
      .select(['a.targetKind', 'a.targetId', 'a.targetLabel', 'a.outcome', 'a.ip', 'a.errorId', 'a.detail'])
      .select(microsecondsOf('a.at').as('atUs'))
      .orderBy('a.at', 'desc')
      .orderBy('a.id', 'desc')
      .execute()
  );
}

/**
 * A slice with the number of all matches, at most one more than MAX_COUNTED. What ends within the slice needs
 * no count. Beyond what is counted nothing is read by offset.
 */
export const listAuditPage = (
  db: Database,
  filter: AuditFilter,
  slice: AuditSlice,
): Promise<{ rows: AuditRow[]; counted: number }> =>
  db.inPlatform(async (tx) => {
    const rows = slice.offset < MAX_COUNTED ? await readEntries(tx, filter, slice) : [];
    const isEnd =
      rows.length < slice.limit && slice.after === null && (rows.length > 0 || slice.offset === 0);
    return { rows, counted: isEnd ? slice.offset + rows.length : await count(tx, filter) };
  });

async function count(tx: PlatformTransaction, filter: AuditFilter): Promise<number> {
  const some = matches(tx, filter)
    .select('e.id')
    .limit(MAX_COUNTED + 1);
  const { counted } = await tx.kysely
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('counted'))
    .executeTakeFirstOrThrow();
  return counted;
}

/** Distinct actions of entries that are not hidden, by name. */
export const listAuditActions = (
  db: Database,
  tenantId: string | null,
  hidden: readonly HiddenAudit[],
): Promise<string[]> => db.inPlatform((tx) => listActions(tx, tenantId, hidden));
