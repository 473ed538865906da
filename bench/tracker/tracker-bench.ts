import type pg from 'pg';
import { callerOf, signInFor } from '../harness/bench-tenant.js';
import { BenchClient, eachOf } from '../harness/http-client.js';
import { asOwner } from '../harness/owner-sql.js';
import type { Sample } from '../harness/pairs.js';
import { ADMIN, newDataDir, removeDataDir, startPlatform } from '../harness/platform.js';
import { cpuSecondsOf } from '../harness/process-tree.js';
import { startPeerServer } from './peer-server.js';

/** One of the two servers that speak MLflow's protocol on the same PostgreSQL. */
export interface Side {
  readonly api: string;
  readonly http: BenchClient;
  /** Its processes and the database's. */
  readonly pids: readonly number[];
}

export interface TrackerBench {
  readonly ours: Side;
  readonly peer: Side;
  /** A connection of the database's owner; the peer's tables lie in the schema `mlflow`. */
  readonly owner: pg.Client;
  readonly tenantId: string;
}

const TENANT = 'demo';

/** A platform and `mlflow server` with 4 workers on the PostgreSQL of the platform. */
export async function withTrackerBench<T>(work: (bench: TrackerBench) => Promise<T>): Promise<T> {
  const dataDir = newDataDir();
  try {
    const { facts, stop } = await startPlatform(dataDir);
    try {
      return await asOwner(facts, dataDir, async (owner) => {
        await owner.query('create schema mlflow');
        const url = new URL(`postgresql://127.0.0.1:${owner.port}/${owner.database}`);
        Object.assign(url, { username: owner.user, password: owner.password });
        url.searchParams.set('options', '-csearch_path=mlflow');
        const server = await startPeerServer(
          url.href.replace('postgresql:', 'postgresql+psycopg2:'),
          dataDir,
        );
        try {
          await owner.query('set row_security = off');
          const { rows } = await owner.query<{ id: string }>('select id from tenant where code = $1', [
            TENANT,
          ]);
          const [postgres, token] = [facts.pids.postgres as number, await trackerToken(facts.base_url)];
          return await work({
            owner,
            tenantId: rows[0]?.id as string,
            ours: {
              api: `${facts.base_url}/tracker/api/2.0/mlflow`,
              http: new BenchClient({ authorization: `Bearer ${token}` }),
              pids: [facts.pids.api as number, postgres],
            },
            peer: {
              api: `${server.baseUrl}/api/2.0/mlflow`,
              http: new BenchClient(),
              pids: [server.pid, postgres],
            },
          });
        } finally {
          await server.stop();
        }
      });
    } finally {
      await stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function trackerToken(baseUrl: string): Promise<string> {
  const call = callerOf(baseUrl, await signInFor(baseUrl, ADMIN.email, ADMIN.password));
  const json = { kind: 'tracker', tenant_code: TENANT, name: 'bench' };
  return String((await call('POST', '/users/me/tokens', json)).token);
}

export const createExperiment = async ({ http, api }: Side, name: string): Promise<string> =>
  (await http.json<{ experiment_id: string }>('POST', `${api}/experiments/create`, { name })).experiment_id;

export async function createRun({ http, api }: Side, experiment_id: string): Promise<string> {
  const body = { experiment_id, start_time: Date.now() };
  return (await http.json<{ run: { info: { run_id: string } } }>('POST', `${api}/runs/create`, body)).run.info
    .run_id;
}

/** Closed loop: so many callers, each sends its next call when the answer is there. */
export async function callsFor(
  side: Side,
  seconds: number,
  callers: number,
  call: (n: number, caller: number) => Promise<void>,
): Promise<Sample> {
  const [cpu, startedAt] = [cpuSecondsOf(side.pids), performance.now()];
  let calls = 0;
  await eachOf(callers, callers, async (caller) => {
    while (performance.now() - startedAt < seconds * 1000) await call(calls++, caller);
  });
  const wallS = (performance.now() - startedAt) / 1000;
  return { perWallS: calls / wallS, perCpuS: calls / Math.max(0.01, cpuSecondsOf(side.pids) - cpu) };
}
