import type pg from 'pg';
import type { RecordKind } from '../../../cli/simulate/simulation.types.js';
import type { StormLedger } from './storm-ledger.js';

/** Each oracle compares the platform with what the devices were answered, and answers what does not fit. */
export type StormOracle = (owner: pg.Client, ledger: StormLedger) => Promise<string[]>;

const NUMBER_OF: Readonly<Record<RecordKind, string>> = {
  telemetry: "(r.data->>'seq')::int",
  inference: "(r.result->>'seq')::int",
};

interface Counted {
  readonly device: string;
  readonly rows: number;
  readonly numbers: number;
  readonly there: number;
  readonly next: number;
  readonly acknowledged: number;
  readonly sent: number;
}

const recordsOf =
  (kind: RecordKind): StormOracle =>
  async (owner, ledger) => {
    const reported = [...ledger.records[kind]].filter(([device]) => !ledger.deleted.has(device));
    const { rows } = await owner.query<Counted>(
      `select l.device, l.acknowledged, l.sent, count(n)::int as rows, count(distinct n)::int as numbers,
         (count(distinct n) filter (where n < l.acknowledged))::int as there, coalesce(max(n) + 1, 0) as next
       from unnest($1::text[], $2::int[], $3::int[]) as l (device, acknowledged, sent)
       left join edge_device d on d.key = l.device
       left join lateral (select ${NUMBER_OF[kind]} as n from ${kind} r where r.device = d.number) r on true
       group by l.device, l.acknowledged, l.sent`,
      [
        reported.map(([device]) => device),
        reported.map(([, { acknowledged }]) => acknowledged),
        reported.map(([, { sent }]) => sent),
      ],
    );
    return rows.flatMap(({ device, rows: all, numbers, there, next, acknowledged, sent }) => [
      ...(all > numbers ? [`${all - numbers} ${kind} records of ${device} are stored twice`] : []),
      ...(there < acknowledged
        ? [`${acknowledged - there} acknowledged ${kind} records of ${device} are missing`]
        : []),
      ...(next > sent ? [`${device} has ${kind} records that it never sent`] : []),
    ]);
  };

const heartbeats: StormOracle = async (owner, ledger) => {
  const reported = [...ledger.beats].filter(([device]) => !ledger.deleted.has(device));
  const { rows } = await owner.query<{ device: string; missing: number }>(
    `select l.device, count(*)::int as missing
     from unnest($1::text[], $2::int[]) as l (device, number) join edge_device d on d.key = l.device
     where not exists (select from edge_heartbeat h
       where h.device = d.number and (h.payload->>'number')::int = l.number)
     group by l.device`,
    [
      reported.flatMap(([device, numbers]) => numbers.map(() => device)),
      reported.flatMap(([, numbers]) => numbers),
    ],
  );
  return rows.map(({ device, missing }) => `${missing} acknowledged heartbeats of ${device} are missing`);
};

interface StoredCommand {
  readonly id: string;
  readonly device: string;
  readonly state: string;
  readonly expires_at: Date | null;
}

const commands: StormOracle = async (owner, ledger) => {
  const { rows } = await owner.query<StoredCommand>(
    // A rollback takes commands from devices that have them in their hands: that end is not the one they were answered.
    `select c.id, d.key as device, c.state,
       case when c.args->>'deployment_id' is null then c.expires_at end as expires_at
     from edge_command c
     join edge_device d on d.tenant_id = c.tenant_id and d.id = c.device_id`,
  );
  const known = new Set(rows.map(({ id }) => id));
  return [
    ...[...ledger.commands].filter((id) => !known.has(id)).map((id) => `the command ${id} is not there`),
    ...rows.flatMap((row) => wrongWith(row, ledger)),
  ];
};

function wrongWith({ id, device, state, expires_at }: StoredCommand, ledger: StormLedger): string[] {
  const effects = ledger.effects.get(id) ?? [];
  const end = ledger.ends.get(id);
  return [
    ...(effects.length > 1 ? [`the command ${id} had ${effects.length} effects`] : []),
    ...(effects.some((one) => one.device !== device) ? [`${id} had its effect on another device`] : []),
    ...(effects.some(({ at }) => expires_at !== null && at >= expires_at.getTime())
      ? [`the command ${id} had an effect after it had expired`]
      : []),
    ...(end !== undefined && end !== state ? [`the command ${id} is ${state}, its end was ${end}`] : []),
    ...((state === 'succeeded' || state === 'failed') && effects.length === 0
      ? [`${id} ${state} without an effect`]
      : []),
    ...(state === 'expired' && end !== undefined ? [`the command ${id} expired after its end`] : []),
  ];
}

const uploads: StormOracle = async (owner, ledger) => {
  const { rows } = await owner.query<{ id: string; state: string | null }>(
    `select l.id, u.state from unnest($1::uuid[], $2::text[]) as l (id, sha256)
     left join dataset_upload u on u.id = l.id
     where u.state is distinct from 'done' or not exists (select from dataset_file f
       where f.tenant_id = u.tenant_id and f.dataset_id = u.dataset_id and f.path = u.path and f.sha256 = l.sha256)`,
    [[...ledger.uploads.keys()], [...ledger.uploads.values()]],
  );
  return rows.map(
    ({ id, state }) => `the completed upload ${id} is ${state ?? 'gone'} and its file is not there`,
  );
};

/** Rows of deployments whose step, command, and what is known to be installed do not fit together. */
const UNTRUE_DEVICES = `
  select d.deployment_id as id, d.device_key as device, 'is ' || d.step || ', its command ' || c.state as what
  from deployment_device d join edge_command c on c.id = d.command_id
  where (d.step = 'succeeded') <> (c.state = 'succeeded')
    or (d.step <> 'canceled' and (d.step = 'failed') <> (c.state = 'failed'))
  union all
  select d.deployment_id, d.device_key, 'is ' || d.step || ' after the end' from deployment_device d
  join deployment p on p.id = d.deployment_id where d.finished_at is null
  union all
  select l.deployment_id, l.device_key, 'has ' || coalesce(i.version::text, 'nothing') || ' in place of ' || l.version
  from (select distinct on (device_id, model_id) * from deployment_device
    where step = 'succeeded' and device_id is not null order by device_id, model_id, finished_at desc) l
  left join edge_installed_model i on i.device_id = l.device_id and i.model_id = l.model_id
  where i.version is distinct from l.version and not exists (
    select from deployment_device o where o.device_id = l.device_id and o.model_id = l.model_id and o.is_rollback)`;

const deployments: StormOracle = async (owner, ledger) => {
  const lost = await owner.query<{ id: string; status: string | null }>(
    `select l.id, p.status from unnest($1::uuid[]) as l (id) left join deployment p on p.id = l.id
     where p.id is null or p.wish is not null or p.status not in ('SUCCEEDED', 'FAILED', 'ABORTED', 'ROLLED_BACK')`,
    [[...ledger.deployments, ...ledger.windows.keys(), ...ledger.conditioned, ...ledger.deleting]],
  );
  const untrue = await owner.query<{ id: string; device: string; what: string }>(UNTRUE_DEVICES);
  return [
    ...lost.rows.map(({ id, status }) => `the deployment ${id} is ${status ?? 'not there'} at the end`),
    ...untrue.rows.map(({ id, device, what }) => `${device} of the deployment ${id} ${what}`),
  ];
};

/** Commands of a window are delivered and begun within it. */
const windows: StormOracle = async (owner, ledger) => {
  const { rows } = await owner.query<{ id: string; deployment: string; delivered_at: Date | null }>(
    `select id, args->>'deployment_id' as deployment, delivered_at from edge_command
     where args->>'deployment_id' = any($1)`,
    [[...ledger.windows.keys()]],
  );
  return rows.flatMap(({ id, deployment, delivered_at }) => {
    const end = ledger.windows.get(deployment) as number;
    const isLate = (ledger.effects.get(id) ?? []).some(({ at }) => at >= end);
    return [
      ...(delivered_at !== null && delivered_at.getTime() >= end
        ? [`${id} was delivered after its window`]
        : []),
      ...(isLate ? [`${id} had an effect after its window`] : []),
    ];
  });
};

/** A condition that breaks sends back whoever has the version. */
const conditions: StormOracle = async (owner, ledger) => {
  const { rows } = await owner.query<{ id: string; status: string }>(
    `select p.id, p.status from deployment p where p.id = any($1) and not (p.status in ('ROLLED_BACK', 'FAILED')
       and exists (select from deployment_log l where l.deployment_id = p.id and l.message like '%It is rolled back.')
       and not exists (select from deployment_device d where d.deployment_id = p.id and not d.is_rollback
         and d.step <> 'canceled'))`,
    [[...ledger.conditioned]],
  );
  return rows.map(
    ({ id, status }) => `the condition of the deployment ${id}, which is ${status}, has sent nobody back`,
  );
};

/** A device that was deleted is gone, and its deployments have ended without it. */
const deletions: StormOracle = async (owner, ledger) => {
  const { rows } = await owner.query<{ device: string; what: string }>(
    `select key as device, 'is there' as what from edge_device where key = any($1)
     union all
     select device_key, 'is ' || step || ' in a deployment' from deployment_device
     where device_key = any($1) and (device_id is not null or finished_at is null)
     union all
     select l.device, 'has no deployment' from unnest($1::text[]) as l (device)
     where not exists (select from deployment_device d where d.device_key = l.device)`,
    [[...ledger.deleted]],
  );
  return rows.map(({ device, what }) => `${device}, which was deleted, ${what}`);
};

const blocks: StormOracle = async (_owner, { heardWhileBlocked }) => heardWhileBlocked;

/** What is compared after a storm. */
export const STORM_ORACLES: Readonly<Record<string, StormOracle>> = {
  telemetry: recordsOf('telemetry'),
  inference: recordsOf('inference'),
  heartbeats,
  commands,
  uploads,
  deployments,
  windows,
  conditions,
  deletions,
  blocks,
};

/** What is still on its way: it has to come to rest before it is compared. */
export async function underWay(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ what: string }>(
    `select format('command %s of %s for %s: %s, delivered %s times, last %s, lease until %s', c.id, c.type, d.key, c.state,
       c.deliveries, c.delivered_at, c.lease_until) as what
     from edge_command c join edge_device d on d.tenant_id = c.tenant_id and d.id = c.device_id
     where c.state in ('pending', 'delivered')
     union all
     select format('deployment %s: %s, wish %s, %s, %s', id, status, wish, status_message, counts) from deployment
     where wish is not null or is_watched or status in ('PENDING', 'IN_PROGRESS', 'PAUSED', 'ROLLING_BACK')
     union all
     select format('upload %s: %s', u.id, u.state) from edge_upload e
     join dataset_upload u on u.tenant_id = e.tenant_id and u.id = e.id where u.state = 'assembling'`,
  );
  return rows.map(({ what }) => what);
}
