import type pg from 'pg';

/** Class of retention with its place in names of tables, and the age of a record in days, well before today's partitions. */
const KEPT = [
  { days: 7, suffix: '7', age: 5 },
  { days: 30, suffix: '30', age: 20 },
  { days: 90, suffix: '90', age: 60 },
  { days: 365, suffix: '365', age: 300 },
  { days: 0, suffix: 'unlimited', age: 800 },
] as const;

/** What a record has beside the columns that all of them share. */
const TABLES = {
  telemetry: ['kind, ts, data', `'temperature', now(), '{"c": 21.5}'`],
  inference: ['ts, model_name, version, result', `now(), 'digits', 1, '{"label": "7"}'`],
  edge_heartbeat: ['payload', `'{}'`],
} as const;

export const RECORD_TABLES = Object.keys(TABLES);

/** Records of devices in every class of retention, of today and of days that have no partition yet: ten in each table. */
export async function seedDeviceRecords(owner: pg.Client, tenantId: string): Promise<void> {
  for (const [table, [columns, values]] of Object.entries(TABLES))
    for (const { days, suffix, age } of KEPT) {
      const name = `${table}_${suffix}`;
      await owner.query(
        `select create_partitions(name, unit, now() - make_interval(days => $2), now() - make_interval(days => $2))
         from partitioned_tables() where name = $1`,
        [name, age],
      );
      await owner.query(
        `insert into ${table} (tenant_id, device, received_at, kept_days, ${columns})
         select $1, 1, now() - make_interval(days => age), $2, ${values} from unnest($3::int[]) age`,
        [tenantId, days, [0, age]],
      );
    }
}
