import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../adapters/temporal/temporal-workflow-engine.js';
import { LOOK_SIGNAL, servingStart, servingWorkflowId } from '../models/serving/serving-work.types.js';
import { initialState, nextLookMs } from '../workflows/serving/endpoint-look-times.state.js';
import { longOrShort } from './harness/mode.js';
import { asOwner } from './harness/owner-sql.js';
import { newDataDir, removeDataDir, startPlatform } from './harness/platform.js';
import { environmentOf } from './harness/process-tree.js';
import { atMost, type BenchResult } from './harness/results.js';

const ENDPOINTS = longOrShort(1000, 200);
const WATCHED_S = longOrShort(120, 40);
const AT_ONCE = 20;
const TENANT = '00000000-0000-4000-8000-000000000001';
const LOOK_EVERY_S = nextLookMs({ ...initialState(0), status: 'RUNNING' }, true) / 1000;

const inputOf = (n: number) => ({
  tenantId: TENANT,
  endpointId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  attempt: 1,
});

/** What endpoints at rest cost a whole platform: its worker watches them, and their workflows look once an hour. */
export async function idleEndpoints(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    const server = await StandInServer.listen();
    const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = 'visionops' } = environmentOf(
      platform.facts.pids.worker as number,
    );
    const engine = createWorkflowEngine({ address: TEMPORAL_ADDRESS, namespace: TEMPORAL_NAMESPACE });
    try {
      return await asOwner(platform.facts, dataDir, async (owner) => {
        await seed(owner, server.url);
        return measure(owner, engine, server);
      });
    } finally {
      await engine.close();
      server.close();
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

/** Answers for every inference server. */
class StandInServer {
  asked = 0;
  private readonly server = createServer((_request, response) => {
    this.asked += 1;
    response.end();
  });

  static async listen(): Promise<StandInServer> {
    const made = new StandInServer();
    await new Promise<void>((done) => made.server.listen(0, '127.0.0.1', done));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Endpoints that are up, on a host that is none of this platform's own. */
async function seed(owner: pg.Client, url: string): Promise<void> {
  const id = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  await owner.query("insert into tenant (id, code, name) values ($1, 'idle', 'Idle')", [TENANT]);
  await owner.query(
    `insert into host (id, name, address, data_dir, memory_bytes, started_at, seen_at)
     values ($1, 'stand-in', '127.0.0.1', '/nowhere', 1, now(), now() + interval '1 hour')`,
    [TENANT],
  );
  await owner.query(
    `insert into image (id, tenant_id, kind, repository, manifest_digest, status, runtime)
     values ($1, $1, 'import', 'stand-in', 'sha256:' || repeat('0', 64), 'READY', 'sklearn')`,
    [TENANT],
  );
  await owner.query(
    `insert into serving_endpoint
       (id, tenant_id, name, image_id, replicas, ready_replicas, status, workload_id, sealed_credential, instances)
     select ${id}, $1, 'idle-' || n, $1, 1, 1, 'RUNNING', 'ep-idle-' || n, 'none', jsonb_build_array($2::text)
     from generate_series(0, $3::int - 1) n`,
    [TENANT, url, ENDPOINTS],
  );
  await owner.query(
    `insert into workload (tenant_id, kind, name, host, owner_id, status, carried_out, spec, endpoints)
     select $1::uuid, 'serving', 'ep-idle-' || n, $1::text, ${id}, 'running', 1, '{}', jsonb_build_array($2::text)
     from generate_series(0, $3::int - 1) n`,
    [TENANT, url, ENDPOINTS],
  );
}

async function measure(
  owner: pg.Client,
  engine: ManagedWorkflowEngine,
  server: StandInServer,
): Promise<BenchResult> {
  await inTurns(async (n) => void (await engine.start(servingStart(inputOf(n)))));
  const before = await eventsAtRest(engine);
  const [asked, transactions, startedAt] = [
    server.asked,
    await transactionsOf(owner),
    performance.now(),
  ] as const;
  await sleep(WATCHED_S * 1000);
  const questions = server.asked - asked;
  const done = (await transactionsOf(owner)) - transactions;
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await eventsAtRest(engine);
  await inTurns((n) => engine.client.workflow.getHandle(servingWorkflowId(inputOf(n))).signal(LOOK_SIGNAL));
  const eventsOfALook = ((await eventsAtRest(engine)) - after) / ENDPOINTS;
  const perSecond = (after - before) / seconds + (ENDPOINTS * eventsOfALook) / LOOK_EVERY_S;
  return {
    figures: {
      endpoints: ENDPOINTS,
      watched_s: Math.round(seconds),
      events_of_a_start: before / ENDPOINTS,
      events_while_watched: after - before,
      events_of_a_look: eventsOfALook,
      look_every_s: LOOK_EVERY_S,
      events_per_s: perSecond,
      watch: {
        questions_per_s: questions / seconds,
        transactions_per_s_of_the_whole_platform: done / seconds,
      },
      real: 'worker with its watch, dispatcher, activities and workflows; PostgreSQL; Temporal',
      stand_ins:
        'one HTTP server answers for all inference servers; the rows of endpoints, workloads and their host are written by SQL, and no agent reports; a look once an hour is not waited for: one is caused by a signal and counted in',
    },
    goals: [atMost('events a second of a thousand endpoints at rest', (perSecond / ENDPOINTS) * 1000, 10)],
  };
}

/** Once nothing is added any more. */
async function eventsAtRest(engine: ManagedWorkflowEngine): Promise<number> {
  let now = await events(engine);
  for (let last = -1; last !== now; now = await events(engine)) {
    last = now;
    await sleep(2000);
  }
  return now;
}

async function events(engine: ManagedWorkflowEngine): Promise<number> {
  let sum = 0;
  await inTurns(async (n) => {
    const { historyLength } = await engine.client.workflow
      .getHandle(servingWorkflowId(inputOf(n)))
      .describe();
    sum += historyLength;
  });
  return sum;
}

async function transactionsOf(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ n: string }>(
    'select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.n);
}

async function inTurns(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < ENDPOINTS) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
