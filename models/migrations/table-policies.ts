/**
 * The policies and columns that tables share. Each function returns SQL text, from which migrations are
 * composed.
 */
export const APP = 'visionops_app';
export const PLATFORM = 'visionops_platform';
export const INGEST = 'visionops_ingest';
/** Signs people in before there is a tenant. */
export const AUTH = 'visionops_auth';
/** No login, bypasses row-level security, owns the SECURITY DEFINER search functions. */
export const SEARCH = 'visionops_search';

/**
 * The tenant of the running transaction; a reused connection reads '' which becomes null and matches
 * nothing.
 */
export const CURRENT_TENANT = "nullif(current_setting('app.tenant', true), '')::uuid";

const ALL_RIGHTS = ['select', 'insert', 'update', 'delete'] as const;
type Right = (typeof ALL_RIGHTS)[number];

/** Row-level security for a table whose rows all belong to a tenant, with the app role's rights on it. */
export function tenantTable(table: string, rights: readonly Right[] = ALL_RIGHTS): string {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy tenant on ${table} for all to ${APP}
      using (tenant_id = ${CURRENT_TENANT}) with check (tenant_id = ${CURRENT_TENANT})`,
    `create policy platform on ${table} for all to ${PLATFORM} using (true) with check (true)`,
    `grant ${rights.join(', ')} on ${table} to ${APP}`,
    `grant select, insert, update, delete on ${table} to ${PLATFORM}`,
  ].join(';\n');
}

/** A table only the platform role sees (accounts, sessions, work queues of the platform). */
export function platformTable(table: string): string {
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy platform on ${table} for all to ${PLATFORM} using (true) with check (true)`,
    `grant select, insert, update, delete on ${table} to ${PLATFORM}`,
  ].join(';\n');
}

/**
 * The rights of signing in on a table whose rows it may see all of. Columns beside a right bound it to them. One table in a
 * migration: the policy keeps everybody else waiting.
 */
export function openToAuth(table: string, ...rights: readonly string[]): string {
  return [
    `create policy auth on ${table} for all to ${AUTH} using (true) with check (true)`,
    `grant ${rights.join(', ')} on ${table} to ${AUTH}`,
  ].join(';\n');
}

/**
 * A table with a nullable tenant: tenants add and see their own rows, the platform sees all. Named in
 * tests/api/database-walls.test.ts.
 */
export const mixedTable = (table: string, rights: readonly Right[]): string => tenantTable(table, rights);

/**
 * Rights of a function that searches a table: it bypasses policies as its owner does, and takes the tenant
 * from the transaction. Trigram operators are not leakproof: under a policy their index would be dropped from
 * the plan.
 */
export function searchFunction(table: string, signature: string): string {
  return [
    `grant select on ${table} to ${SEARCH}`,
    `alter function ${signature} owner to ${SEARCH}`,
    `revoke all on function ${signature} from public`,
    `grant execute on function ${signature} to ${APP}, ${PLATFORM}`,
  ].join(';\n');
}

/** Whoever waits for a change of these columns, or for the end of the row, is called (models/orm/state-waits.ts). */
export function callsOnStates(table: string, ...columns: readonly string[]): string {
  const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return `create trigger ${table}_state_call after update of ${columns.join(', ')} on ${table}
      for each row when (${changed}) execute function call_for_work('visionops_states');
    create trigger ${table}_end_call after delete on ${table}
      for each statement execute function call_for_work('visionops_states')`;
}

/**
 * Columns every tenant row starts with. The primary key is `id`; `(tenant_id, id)` is unique so that other
 * tables can refer to it with their own tenant and a reference across tenants cannot be stored.
 */
export const tenantColumns = (table: string): string => `
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references tenant (id) on delete restrict,
  constraint ${table}_tenant_id_key unique (tenant_id, id)`;

/**
 * The same with a number of a sequence in place of the id, for rows that stand in many others. Still unique together with
 * the tenant.
 */
export const numberedTenantRow = (table: string): string => `
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenant (id) on delete restrict,
  constraint ${table}_tenant_id_key unique (tenant_id, id)`;

export const timestamps = `
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()`;
