import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import { compareStore, type StoreAccess } from '../../journeys/support/stored-objects.js';
import type { Ledger } from './ledger.js';
import { EPOCHS } from './main-job.js';

type Row = Record<string, unknown>;

/** Questions about rows; whatever they answer is a violation. */
const NOTHING_TWICE: ReadonlyArray<readonly [string, string]> = [
  [
    'runs of one attempt',
    'select training_id, training_attempt, count(*) from tracker_run where training_id is not null group by 1, 2 having count(*) > 1',
  ],
  [
    'versions of one run and model',
    'select model_id, run_id, count(*) from model_version group by 1, 2 having count(*) > 1',
  ],
  ['images of one version', 'select model_version_id, count(*) from image group by 1 having count(*) > 1'],
  [
    'files of one path',
    'select dataset_id, path, count(*) from dataset_file group by 1, 2 having count(*) > 1',
  ],
  [
    'endpoints of one name',
    'select tenant_id, name, count(*) from serving_endpoint group by 1, 2 having count(*) > 1',
  ],
  [
    'log text missing or doubled',
    `select experiment_id, attempt, from_byte, expected from (select experiment_id, attempt, from_byte, coalesce(lag(to_byte) over (partition by experiment_id, attempt order by from_byte), 0) as expected from (select experiment_id, attempt, from_byte, to_byte from log_chunk union all select experiment_id, attempt, from_byte, to_byte from log_segment) p) c where from_byte <> expected`,
  ],
  [
    'stored logs of another length',
    `select r.run_id, a.size_bytes, l.to_byte from run_artifact a join tracker_run r on r.id = a.run join (select experiment_id, attempt, max(to_byte) as to_byte from log_chunk group by 1, 2) l on l.experiment_id = r.training_id and l.attempt = r.training_attempt where a.path = 'logs/train.log' and a.size_bytes <> l.to_byte`,
  ],
  [
    'steps out of order',
    'select a.experiment_id, a.key, b.key from training_step a join training_step b on b.experiment_id = a.experiment_id and b.attempt = a.attempt and b.position > a.position where b.started_at < a.started_at or (b.started_at is not null and a.started_at is null)',
  ],
  [
    'steps that do not fit the end',
    "select e.id, e.status, s.key, s.status from training_experiment e join training_step s on s.experiment_id = e.id and s.attempt = e.attempt where (e.status = 'SUCCEEDED' and s.status <> 'done' and (s.status not in ('failed', 'skipped') or e.cancel_asked_at is null)) or (e.status in ('FAILED', 'CANCELED') and s.status in ('pending', 'running'))",
  ],
  [
    'runs that do not fit the end',
    "select e.id, e.status, r.status, r.is_job_open from training_experiment e join tracker_run r on r.training_id = e.id and r.training_attempt = e.attempt where (e.status, r.status) not in (('SUCCEEDED', 'FINISHED'), ('FAILED', 'FAILED'), ('CANCELED', 'KILLED')) or r.is_job_open",
  ],
  [
    'audited twice',
    "select action, target_id, detail, count(*) from audit_entry where action in ('dataset.create', 'dataset.delete', 'dataset.file_add', 'experiment.create', 'experiment.cancel', 'experiment.end', 'experiment.delete', 'model.register', 'model.delete', 'image.build', 'image.ready', 'serving.create', 'serving.removed', 'dataset.freeze') group by 1, 2, 3 having count(*) > 1",
  ],
  [
    'experiments not audited once',
    "select e.id, e.status, count(a.id) from training_experiment e left join audit_entry a on a.target_id = e.id::text and a.action in ('experiment.create', 'experiment.end') group by 1, 2 having count(a.id) <> 2",
  ],
  [
    'versions not audited once',
    "select v.id, count(a.id) from model_version v left join audit_entry a on a.target_id = v.id::text and a.action = 'model.register' group by 1 having count(a.id) <> 1",
  ],
  [
    'images not audited once',
    "select i.id, count(a.id) from image i left join audit_entry a on a.target_id = i.id::text and a.action in ('image.build', 'image.ready') where i.status = 'READY' group by 1 having count(a.id) <> 2",
  ],
  [
    'files whose counters differ',
    'select d.key, d.file_count, count(f.id) from dataset d left join dataset_file f on f.dataset_id = d.id group by 1, 2 having d.file_count <> count(f.id)',
  ],
];

/** What is on its way. None of it may be there for long. */
const UNDER_WAY: ReadonlyArray<readonly [string, string]> = [
  [
    'experiments',
    "select id, status, status_message, updated_at from training_experiment where status not in ('SUCCEEDED', 'FAILED', 'CANCELED')",
  ],
  [
    'datasets',
    "select key, status, validation_status, validation_active from dataset where validation_active or status = 'VALIDATING' or (status = 'DRAFT' and file_count > 0)",
  ],
  ['upload sessions', "select id, path, state from dataset_upload where state = 'assembling'"],
  ['images', "select id, status from image where status = 'BUILDING'"],
  [
    'endpoints',
    "select name, status, wish, status_message from serving_endpoint where (wish, status) not in (('run', 'RUNNING'), ('stop', 'STOPPED'), ('none', 'FAILED'))",
  ],
  ['entries to dispatch', 'select id, kind, workflow_id, attempts, last_error from dispatch'],
];

export async function rowsThatMustNotBe(owner: pg.Client): Promise<string[]> {
  return ask(owner, NOTHING_TWICE);
}

/** Waits until nothing is under way. @returns what still is after the time */
export async function untilSettled(owner: pg.Client, timeoutMs: number): Promise<string[]> {
  for (const end = Date.now() + timeoutMs; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const left = await ask(owner, UNDER_WAY);
    if (left.length === 0 || Date.now() > end) return left.map((text) => `stuck: ${text}`);
  }
}

async function ask(owner: pg.Client, questions: ReadonlyArray<readonly [string, string]>): Promise<string[]> {
  const found: string[] = [];
  for (const [what, sql] of questions) {
    const { rows } = await owner.query<Row>(sql);
    if (rows.length > 0) found.push(`${rows.length} ${what}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return found;
}

/** Each acknowledged change has its audit row, and none has more rows than it was asked for. */
export async function auditAgainst(owner: pg.Client, ledger: Ledger): Promise<string[]> {
  const found: string[] = [];
  for (const [change, { acknowledged, lost }] of ledger.changes) {
    const [action = '', target = '', path = null] = change.split(' ');
    const column = COLUMN_OF[action];
    if (column === undefined) continue;
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from audit_entry where action = $1 and ${column} = $2 and ($3::text is null or coalesce(detail->>'path', detail->>'filename') = $3)`,
      [action, target, path],
    );
    const written = rows[0]?.n ?? 0;
    // An archive that was sent again is unpacked again; a session is completed once.
    const isOnce = path !== 'scans.zip' && action !== 'experiment.create';
    const most = isOnce ? 1 : acknowledged + lost;
    if (written < Math.min(1, acknowledged) || written > most)
      found.push(
        `${change} was acknowledged ${acknowledged} and lost ${lost} times, but has ${written} audit rows`,
      );
  }
  return found;
}

/** Which column of an audit row holds the target as the ledger names it; changes without an entry are not audited. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  'dataset.create': 'target_id',
  'dataset.upload': 'target_id',
  'dataset.file_add': 'target_id',
  'dataset.delete': 'target_id',
  'experiment.create': 'target_label',
  'experiment.cancel': 'target_id',
  'experiment.delete': 'target_id',
  'serving.create': 'target_label',
  'serving.delete': 'target_label',
  'model.delete': 'target_label',
};

/** Acknowledged uploads whose row is gone or holds other bytes. */
export async function uploadsAgainst(owner: pg.Client, ledger: Ledger): Promise<string[]> {
  const { rows } = await owner.query<{ key: string; path: string; sha256: string }>(
    'select d.key, f.path, f.sha256 from dataset_file f join dataset d on d.id = f.dataset_id',
  );
  const stored = new Map(rows.map((row) => [`${row.key} ${row.path}`, row.sha256]));
  return ledger.acknowledgedUploads.flatMap(({ dataset, path, sha256 }) => {
    const there = stored.get(`${dataset} ${path}`);
    return there === sha256
      ? []
      : [`the acknowledged upload ${dataset} ${path} is ${there === undefined ? 'gone' : 'another one'}`];
  });
}

/**
 * The epochs that a log reports, in their order; those that were run again from a checkpoint, or from the start where
 * there was none, once. Null where one is missing or comes again without that.
 */
function epochsIn(log: string): number | null {
  let [last, most] = [0, 0];
  for (const [text, checkpoint, epoch] of log.matchAll(
    /\[runner\] Start \d+|Going on from the checkpoint after round (\d+) |Epoch (\d+)\//g,
  )) {
    if (text.startsWith('[runner]')) last = 0;
    else if (checkpoint !== undefined) last = Number(checkpoint);
    else if (Number(epoch) === last + 1) last += 1;
    else return null;
    if (last > most + 1 || (epoch === undefined && last > most)) return null;
    most = Math.max(most, last);
  }
  return most;
}

/** Every log shows each epoch in order, every curve once; those of a training that ended well show all. */
export async function logsAndCurves(owner: pg.Client): Promise<string[]> {
  const found: string[] = [];
  const { rows } = await owner.query<{
    id: string;
    name: string;
    status: string;
    log: string | null;
    steps: string[] | null;
  }>(
    `select e.id, e.name, e.status, (select string_agg(text, '' order by from_byte) from log_chunk c where c.experiment_id = e.id and c.attempt = e.attempt) as log,
       (select array_agg(p.step order by p.step) from metric_point p join metric_key k on k.id = p.key and k.name = 'train/loss' join tracker_run r on r.id = p.run where r.training_id = e.id) as steps
     from training_experiment e`,
  );
  for (const { id, name, status, log, steps } of rows) {
    const epochs = epochsIn(log ?? '');
    if (epochs === null)
      found.push(
        `the log of ${name} (${id}) shows epochs ${[...(log ?? '').matchAll(/Epoch (\d+)\//g)].map((match) => match[1]).join(',')}`,
      );
    const curve = (steps ?? []).map(Number);
    if (curve.some((step, at) => step !== at + 1))
      found.push(`the curve of ${name} (${id}) has steps ${curve.join(',')}`);
    if (status === 'SUCCEEDED' && (epochs !== EPOCHS || curve.length !== EPOCHS))
      found.push(
        `${name} (${id}) succeeded with ${epochs} epochs in its log and ${curve.length} in its curve`,
      );
  }
  return found;
}

/** No workflow id has run twice, none failed, and what runs still holds an endpoint up. */
export async function workflowsThatMustNotBe({
  address,
  namespace,
}: {
  readonly address: string;
  readonly namespace: string;
}): Promise<string[]> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const [found, ids]: [string[], Map<string, number>] = [[], new Map()];
    for await (const run of client.workflow.list()) {
      const { workflowId, type, status } = run;
      if (type.startsWith('temporal-sys') || workflowId.startsWith('temporal-sys')) continue;
      if (status.name === 'RUNNING' && type !== 'servingEndpoint')
        found.push(`the workflow ${workflowId} still runs`);
      if (status.name === 'FAILED' || status.name === 'TIMED_OUT' || status.name === 'TERMINATED')
        found.push(`the workflow ${workflowId} ended as ${status.name}`);
      if (status.name !== 'CONTINUED_AS_NEW') ids.set(workflowId, (ids.get(workflowId) ?? 0) + 1);
    }
    for (const [id, runs] of ids) if (runs > 1) found.push(`the workflow ${id} ran ${runs} times`);
    return found;
  } finally {
    await connection.close();
  }
}

export async function objectsThatDoNotFit(store: StoreAccess, owner: pg.Client): Promise<string[]> {
  const { orphans, missing, unfinished } = await compareStore(store, owner);
  const reported = (what: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [`${keys.length} ${what}: ${keys.slice(0, 3).join(', ')}`];
  return [
    ...reported('objects that no row names', orphans),
    ...reported('objects that are missing', missing),
    ...reported('multipart uploads that nobody ends', unfinished),
  ];
}
