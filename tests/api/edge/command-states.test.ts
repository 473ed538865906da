import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { COMMAND_STATES, type CommandState } from '../../../models/edge/commands/command.types.js';
import { deliverCommands, settleCommands } from '../../../models/edge/fleet.platform.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { EdgeKit, type PlayedDevice } from './support/edge-kit.js';

const TIMES = ['none', 'past', 'coming'] as const;
type Time = (typeof TIMES)[number];

/** A command as a row may have it. */
interface Case {
  readonly id: string;
  readonly state: CommandState;
  readonly lease: Time;
  readonly expiry: Time;
  readonly deliveries: number;
  readonly progress: object | null;
}

/** By state and lease: what an open command is by now, where it does not expire, has expired, and expires later. */
const BY_NOW: Readonly<
  Record<string, readonly [none: CommandState, past: CommandState, coming: CommandState]>
> = {
  'pending none': ['pending', 'expired', 'pending'],
  'pending past': ['pending', 'expired', 'pending'],
  'pending coming': ['pending', 'expired', 'pending'],
  'delivered none': ['delivered', 'delivered', 'delivered'],
  'delivered past': ['pending', 'expired', 'pending'],
  'delivered coming': ['delivered', 'delivered', 'delivered'],
};
/** What has ended stays as it is, whatever its times are. */
const byNow = ({ state, lease, expiry }: Case): CommandState =>
  BY_NOW[`${state} ${lease}`]?.[TIMES.indexOf(expiry)] ?? state;

/** What a device that says that it is at it is answered. */
const answerTo = (command: Case): number | CommandState => {
  const state = byNow(command);
  if (state === 'succeeded' || state === 'failed') return state;
  return state === 'expired' || command.deliveries === 0 ? 409 : 'delivered';
};

/** What was delivered has been delivered at least once; a device may have said how far it is. */
const HISTORIES = [
  { deliveries: 0, progress: null },
  { deliveries: 1, progress: null },
  { deliveries: 2, progress: { step: 'reading' } },
];
const CASES: ReadonlyArray<Omit<Case, 'id'>> = COMMAND_STATES.flatMap((state) =>
  TIMES.flatMap((lease) =>
    TIMES.flatMap((expiry) =>
      HISTORIES.filter(({ deliveries }) => state !== 'delivered' || deliveries > 0).map((history) => ({
        ...{ state, lease, expiry },
        ...history,
      })),
    ),
  ),
);

const TIME = (name: Time) => (name === 'none' ? null : name === 'past' ? -60 : 600);
const INSERT = `insert into edge_command (tenant_id, device_id, type, state, lease_until, expires_at, deliveries, progress)
  select d.tenant_id, d.id, c.type, c.state, now() + make_interval(secs => c.lease),
    now() + make_interval(secs => c.expiry), c.deliveries, c.progress
  from edge_device d, jsonb_to_recordset($2::jsonb)
    as c (type text, state text, lease float8, expiry float8, deliveries int, progress jsonb)
  where d.key = $1`;

describe('the state of a command by now, for every row that there may be', () => {
  let api: TestApi;
  let kit: EdgeKit;
  let device: PlayedDevice;
  let commands: readonly Case[];

  beforeAll(async () => {
    api = await startTestApi();
    kit = new EdgeKit(api, await api.addTenant());
  });
  afterAll(() => api.close());

  beforeEach(async () => {
    await kit.run('delete from edge_command');
    device = await kit.device();
    const rows = CASES.map((one, n) => ({
      ...{ ...one, type: `case-${n}` },
      ...{ lease: TIME(one.lease), expiry: TIME(one.expiry) },
    }));
    expect(await kit.run(INSERT, [device.id, JSON.stringify(rows)])).toBe(CASES.length);
    const ids = await kit.rows<{ id: string; n: number }>(
      'select id, substr(type, 6)::int as n from edge_command order by n',
    );
    commands = ids.map(({ id, n }) => ({ ...(CASES[n] as Case), id }));
  });

  /** What is otherwise than expected, with what it was expected to be. */
  const differences = <T>(found: ReadonlyMap<string, T>, expected: (command: Case) => T | undefined) =>
    commands.flatMap((command) => {
      const [is, shall] = [found.get(command.id), expected(command)];
      return is === shall ? [] : [{ ...command, is, shall }];
    });
  const listed = async (query: string): Promise<Map<string, string>> => {
    const items: Array<{ id: string; state: string }> = [];
    for (let page = 1; items.length === (page - 1) * 100; page += 1) {
      const path = `/devices/${device.id}/commands?page_size=100&page=${page}${query}`;
      items.push(...(await kit.call('GET', path)).body.items);
    }
    return new Map(items.map(({ id, state }) => [id, state]));
  };
  const claimed = async (): Promise<ReadonlyMap<string, number>> => {
    const [row] = await kit.rows<{ id: string }>('select id from edge_device where key = $1', [device.id]);
    const found: Array<readonly [string, number]> = [];
    for (let before = -1; before < found.length; ) {
      before = found.length;
      for (const { id, deliveries } of await deliverCommands(api.container.db, [row?.id as string]))
        found.push([id, deliveries]);
    }
    expect(new Set(found.map(([id]) => id)).size).toBe(found.length);
    return new Map(found);
  };
  const due = (command: Case) => (byNow(command) === 'pending' ? command.deliveries + 1 : undefined);

  it('is what people see, and find it by', async () => {
    expect(differences(await listed(''), byNow)).toEqual([]);
    for (const state of COMMAND_STATES)
      expect(
        differences(await listed(`&state=${state}`), (command) =>
          byNow(command) === state ? state : undefined,
        ),
      ).toEqual([]);
  });

  it('decides what its device gets: each that is pending, once', async () => {
    expect(differences(await claimed(), due)).toEqual([]);
  });

  it('is what its row is brought in line with, after which its device gets the same', async () => {
    const settled = await settleCommands(api.container.db);
    expect(
      differences(new Map(settled.map(({ id, state }) => [id, state as string])), (command) =>
        byNow(command) === command.state ? undefined : byNow(command),
      ),
    ).toEqual([]);
    const rows = await kit.rows<{ id: string; state: string; hasEnded: boolean }>(
      'select id, state, finished_at is not null as "hasEnded" from edge_command',
    );
    expect(differences(new Map(rows.map(({ id, state }) => [id, state])), byNow)).toEqual([]);
    const expired = (command: Case) => command.state !== 'expired' && byNow(command) === 'expired';
    expect(differences(new Map(rows.map(({ id, hasEnded }) => [id, hasEnded])), expired)).toEqual([]);
    expect(differences(await claimed(), due)).toEqual([]);
  });

  it('decides whether its device may still speak of it', async () => {
    const answers = new Map<string, number | string>();
    for (const { id } of commands) {
      const { status, body } = await device.call('POST', `/commands/${id}:ack`, {
        json: { status: 'running' },
      });
      answers.set(id, status === 200 ? body.state : status);
    }
    expect(differences(answers, answerTo)).toEqual([]);
  });
});
