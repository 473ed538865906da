import type pg from 'pg';

const TENANTS = 20;
const BATCH = 50_000;

/**
 * A trail of 90 days: 20 tenants of Zipf's sizes (the first has a share of 28 %), 40 actions, 500 people, 50,000 targets.
 * Written in transactions of 50,000 rows, oldest first.
 */
export async function fillAuditTrail(client: pg.Client, rows: number): Promise<void> {
  await client.query(
    `insert into tenant (code, name) select 'bench-' || n, 'Bench ' || n from generate_series(1, ${TENANTS}) n on conflict do nothing`,
  );
  await client.query(
    'create temporary table place as select id, row_number() over (order by length(code), code) as n from tenant where code like $1',
    ['bench-%'],
  );
  await client.query("select create_partitions('audit_entry', 'month', now() - interval '90 days', now())");
  // Built once over all rows instead of row by row, on the table and so on each partition.
  const { rows: slow } = await client.query<{ name: string; definition: string }>(
    "select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as definition from pg_indexes where tablename = 'audit_entry' and indexdef like '%USING gin%'",
  );
  for (const { name } of slow) await client.query(`drop index ${name}`);
  for (let from = 0; from < rows; from += BATCH) {
    await client.query(
      `insert into audit_entry (tenant_id, at, actor_id, actor_email, actor_name, action, target_kind, target_id, target_label, ip, detail)
       select p.id, now() - interval '90 days' * (1 - i::float8 / $2), md5('u' || i % 500)::uuid, 'person' || i % 500 || '@example.com', 'Person Number ' || i % 500,
         (array['dataset','model','training','serving','user','membership','tenant','image'])[1 + i % 8] || '.' || (array['create','update','delete','start','stop'])[1 + i % 5],
         'dataset', 'target-' || i % 50000, 'Target number ' || i % 50000, '203.0.113.' || i % 250, jsonb_build_object('fields', jsonb_build_array('name', 'source'), 'n', i)
       from (select i, least(${TENANTS}, ceil(exp(random() * ln(${TENANTS} + 1)) - 0.999)) as n from generate_series($1::int, $1::int + ${BATCH} - 1) i offset 0) drawn
         join place p on p.n = drawn.n`,
      [from, rows],
    );
  }
  for (const { definition } of slow) await client.query(definition);
  await client.query('vacuum analyze audit_entry');
}

/** One more entry of now, as it comes while people look at the list. */
export const addEntry = (client: pg.Client): Promise<unknown> =>
  client.query(
    `insert into audit_entry (action, actor_email, actor_name, target_kind, target_id) values ('user.update', 'person1@example.com', 'Person Number 1', 'user', 'target-1')`,
  );

export const keepAuditOf = (client: pg.Client, tenantCode: string, days: number): Promise<unknown> =>
  client.query("update tenant set retention = jsonb_build_object('audit', $2::int) where code = $1", [
    tenantCode,
    days,
  ]);
