import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PlayedDevice } from '../edge/support/edge-kit.js';
import type { Answer } from '../support/test-api.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(240_000);

/** Between two locks of a transaction, where another one may get in: seconds at most, before each row. */
const PAUSES = {
  'insert on edge_installed_model': 0.03,
  'insert on edge_command': 0.03,
  'insert on edge_device_removal': 0.3,
  'delete on edge_device': 0.03,
};
const LANES = 6;
/** A process reports its figures a second after its last statement at the latest. */
const REPORTED_WITHIN_MS = 2000;

type Call = () => Promise<Answer>;

describe('devices, their deployments and their deletion at once', () => {
  let kit: DeploymentLab['kit'];
  let owner: pg.Client;
  // Before the database goes, which ends all connections to it.
  afterAll(() => owner?.end());
  const lab = deploymentLab();
  beforeAll(async () => {
    ({ kit } = lab());
    owner = new pg.Client({ connectionString: lab().api.database.ownerUrl });
    await owner.connect();
    await owner.query(`create function pause_here() returns trigger language plpgsql as
      $$ begin perform pg_sleep(random() * tg_argv[0]::float8); return coalesce(new, old); end $$`);
    for (const [at, [what, seconds]] of Object.entries(PAUSES).entries())
      await owner.query(`create trigger pause_${at} before ${what} for each row
        execute function pause_here(${seconds})`);
  });
  const deadlocks = async (): Promise<number> => {
    await sleep(REPORTED_WITHIN_MS);
    const { rows } = await owner.query<{ n: string }>(
      'select deadlocks as n from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]?.n);
  };

  /** The answers of these calls, those of one set at once, some sets beside each other. */
  const meet = async (sets: readonly (readonly Call[])[]): Promise<Answer[][]> => {
    const answers: Answer[][] = [];
    const waiting = [...sets.entries()];
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [at, calls] = next;
        answers[at] = await Promise.all(calls.map((call) => call()));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return answers;
  };

  const statuses = (answers: readonly (Answer | undefined)[]): number[] => [
    ...new Set(answers.map((answer) => answer?.status ?? 0)),
  ];
  const remove = ({ id }: PlayedDevice) => kit.edge.call('DELETE', `/devices/${id}`);

  it('let a device acknowledge its first installation while it is deleted', async () => {
    const before = await deadlocks();
    const model = await kit.model(1);
    const { location, all } = await kit.devices(48);
    const made = await kit.start({ model_name: model, version: 1, targets: { location } });
    const commands = new Map<string, unknown>();
    for (const device of all) commands.set(device.id, await kit.fetchCommand(device));
    const answers = await meet(
      all.map((device, at) => [
        () => kit.ack(device, commands.get(device.id), 'succeeded'),
        async () => {
          await sleep((at % 8) * 4);
          return remove(device);
        },
      ]),
    );
    expect([200, 401]).toEqual(expect.arrayContaining(statuses(answers.map(([ack]) => ack))));
    expect(statuses(answers.map(([, deletion]) => deletion))).toEqual([200]);
    expect(await deadlocks()).toBe(before);
    const { status } = await kit.when(made.id, 'ends', ({ status }) =>
      ['SUCCEEDED', 'FAILED'].includes(status),
    );
    expect(status).toBe('SUCCEEDED');
  });

  it('let a deployment be made while its device is deleted', async () => {
    const before = await deadlocks();
    const model = await kit.model(1);
    const { all } = await kit.devices(48);
    const answers = await meet(
      all.map((device, at) => [
        async () => {
          await sleep((at % 6) * 10);
          return kit.create({ model_name: model, version: 1, target_device_id: device.id });
        },
        () => remove(device),
      ]),
    );
    const creations = answers.map(([creation]) => creation as Answer);
    expect([201, 404]).toEqual(expect.arrayContaining(statuses(creations)));
    expect(statuses(answers.map(([, deletion]) => deletion))).toEqual([200]);
    for (const { body } of creations.filter(({ status }) => status === 201))
      await kit.when(body.id, 'ends', ({ status }) => status === 'FAILED');
    expect(await deadlocks()).toBe(before);
  });

  it('would have been noticed, had two waited for each other', async () => {
    const before = await deadlocks();
    const both = [kit.tenant.code, 'demo'];
    await owner.query('create table met (code text primary key)');
    await owner.query('insert into met select unnest($1::text[])', [both]);
    const lock = async (codes: readonly string[]) => {
      const client = new pg.Client({ connectionString: lab().api.database.ownerUrl });
      await client.connect();
      try {
        await client.query('begin');
        for (const code of codes) {
          await client.query('select 1 from met where code = $1 for update', [code]);
          await sleep(300);
        }
        await client.query('commit');
      } finally {
        await client.end();
      }
    };
    const ends = await Promise.allSettled([lock(both), lock([...both].reverse())]);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await deadlocks()).toBe(before + 1);
  });
});
