import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { StormGround } from './devices/storm-ground.js';
import { StormLedger } from './devices/storm-ledger.js';
import { IS_FULL_RUN, reportFile } from './support/kills.js';

const DEVICES = Number(process.env.FAULT_DEVICES ?? 500);
const KILLS = Number(process.env.FAULT_KILLS ?? (IS_FULL_RUN ? 30 : 5));
const STORM_S = IS_FULL_RUN ? 600 : 120;
/** The database is away for so long. */
const OUTAGE_S = IS_FULL_RUN ? 60 : 10;
/** A command whose poll was lost comes again after its lease of 60 s, and a device that loses its network may lose it again. */
const AT_REST_WITHIN_S = 300;
const SEED = Number(process.env.FAULT_SEED ?? randomInt(1, 2 ** 31));
const REPORT = reportFile('device-faults');
/** The second of three has a wrong clock. */
const SKEWED = 'storm-2';
const FIRST = "(select number from edge_device where key = 'storm-1')";

/** Faults that each oracle must report, or its silence means nothing. Rolled back. */
const PLANTED = [
  `delete from telemetry where (data->>'seq')::int = 0 and device = ${FIRST}`,
  `insert into inference (tenant_id, device, received_at, kept_days, ts, model_name, version, result)
   select tenant_id, device, received_at, kept_days, ts, model_name, version, result from inference
   where (result->>'seq')::int = 0 and device = ${FIRST}`,
  `delete from edge_heartbeat where device = ${FIRST}`,
  "update edge_command set expires_at = created_at - interval '1 hour' where state = 'succeeded'",
  "update edge_command set state = 'failed' where state = 'succeeded' and type = 'count'",
  "update deployment set status = 'IN_PROGRESS' where status = 'SUCCEEDED'",
  "update dataset_file set sha256 = repeat('0', 64)",
  "update edge_command set state = 'failed' where state = 'expired' and type = 'count'",
  "update edge_command set delivered_at = delivered_at + interval '1 hour'",
  "delete from deployment_log where message like '%It is rolled back.'",
  'update deployment_device set finished_at = null where device_id is null',
];

jest.setTimeout(300_000);

describe(`${DEVICES} devices that misbehave, in a storm of ${KILLS} kills (FAULT_SEED=${SEED})`, () => {
  let ground: StormGround;
  beforeAll(async () => {
    ground = await StormGround.prepare(DEVICES, SEED);
  }, 240_000);
  afterAll(() => ground?.close(), 120_000);

  it(
    'go on by themselves',
    async () => {
      const { fleet, killer, commander, deployer, intervener, ledger } = ground;
      ground.begin();
      const isQuiet = new AbortController();
      const operating = [commander.run(isQuiet.signal), deployer.run(isQuiet.signal), intervener.run()];
      await killer.run(KILLS, STORM_S);
      isQuiet.abort();
      await Promise.all(operating);
      const left = await ground.untilAtRest(AT_REST_WITHIN_S);
      expect({ left, kills: killer.kills.length }).toEqual({ left: [], kills: KILLS });
      expect(ground.breaches()).toEqual([]);
      expect(fleet.figures.refused).toBe(ledger.deleted.size);
      // On a busy machine a device may be deleted before it has sent anything.
      expect(new Set([...ledger.records.telemetry.keys(), ...ledger.deleted]).size).toBe(DEVICES);
    },
    (STORM_S + AT_REST_WITHIN_S + 120) * 1000,
  );

  it(
    'are asked to come back later while the database is away, and lose nothing',
    async () => {
      const { fleet, killer, person } = ground;
      const before = fleet.figures.records.telemetry;
      await killer.withoutDatabase(OUTAGE_S, async () => {
        const answer = await person.call('GET', `/api/v1/edge/devices/${SKEWED}/telemetry`);
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([
          503,
          expect.stringMatching(/^\d+$/),
        ]);
      });
      const goOn = () => fleet.figures.records.telemetry > before + DEVICES * 5;
      for (let left = 120; left > 0 && !goOn(); left -= 1) await sleep(500);
      expect(goOn()).toBe(true);
      expect([...fleet.figures.errors.keys()]).toContainEqual(expect.stringMatching(/^503 /));
      // Before anything is refused here: what is compared afterwards has to be at rest.
      await ground.calm();
      expect(await ground.untilAtRest(AT_REST_WITHIN_S)).toEqual([]);
      expect(ground.breaches()).toEqual([]);
    },
    (OUTAGE_S + AT_REST_WITHIN_S + 120) * 1000,
  );

  it('have each record stored once, each command run at most once and in time, and each deployment ended truly', async () => {
    expect(await ground.asOwner((owner) => ground.problems(owner))).toEqual([]);
    if (REPORT !== null) ground.report(REPORT);
  });

  it('are read by their feeds with every record, whatever their clocks show', async () => {
    const { acknowledged } = ground.ledger.records.telemetry.get(SKEWED) ?? { acknowledged: 0 };
    const seen: Array<{ ts: string; received_at: string; data: { seq: number } }> = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const path = `/api/v1/edge/devices/${SKEWED}/telemetry?${query}`;
      const { body } = await ground.person.expect(200, 'GET', path);
      seen.push(...body.items);
      cursor = body.next_cursor as string | null;
    }
    const numbers = new Set(seen.map(({ data }) => data.seq));
    expect(numbers.size).toBe(seen.length);
    expect([...numbers].filter((number) => number < acknowledged)).toHaveLength(acknowledged);
    expect([...new Set(seen.map(({ ts }) => ts.slice(0, 4)))]).toEqual([
      expect.stringMatching(/^(1970|2100)$/),
    ]);
    const times = seen.map(({ received_at }) => received_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('would have been noticed, had any of it been lost or done twice', () =>
    ground.asOwner(async (owner) => {
      await owner.query('begin');
      for (const sql of PLANTED) await owner.query(sql);
      const found = (await ground.problems(owner)).join('\n');
      for (const words of [
        'acknowledged telemetry records of storm-1 are missing',
        'inference records of storm-1 are stored twice',
        'acknowledged heartbeats of storm-1 are missing',
        'had an effect after it had expired',
        'is failed, its end was succeeded',
        'is IN_PROGRESS at the end',
        'failed without an effect',
        'was delivered after its window',
        'has sent nobody back',
        'which was deleted, is',
        ...(ground.ledger.uploads.size > 0 ? ['its file is not there'] : []),
      ])
        expect(found).toContain(words);
      await owner.query('rollback');
    }));

  it('would have been noticed, had a blocked device been answered', () => {
    const ledger = new StormLedger(-1);
    for (const device of ['cam-1', 'cam-2']) ledger.block(device);
    ledger.unblock('cam-2');
    for (const device of ['cam-1', 'cam-2', 'cam-3']) ledger.beat(device, 1);
    expect(ledger.heardWhileBlocked).toEqual([
      'the heartbeat of cam-1 was acknowledged while it was blocked',
    ]);
  });
});
