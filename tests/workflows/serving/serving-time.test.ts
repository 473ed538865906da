import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Look, PlacedEndpointSteps } from '../../../activities/serving/serving.activities.js';
import { SERVING_WORKFLOW, type ServingInput } from '../../../models/serving/serving-work.types.js';
import type { Lab } from '../support/lab.js';
import { onlyWhere } from '../../setup/only-where.js';
import { noTimeSkipping, openTimeLab } from '../support/time.js';

describe('an endpoint while time passes', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openTimeLab();
  });
  afterAll(() => lab.close());

  const run = async (
    look: (input: ServingInput, isOverdue: boolean) => Promise<Look>,
    connectTimeoutS = 600,
  ) => {
    const never = () => Promise.reject(new Error('not expected'));
    const activities: PlacedEndpointSteps = {
      lookAtPlacedEndpoint: look,
      giveUpPlacedEndpoint: never,
      releasePlacedEndpoint: never,
    };
    const stop = await lab.work(activities);
    try {
      const input: ServingInput = {
        tenantId: 't',
        endpointId: 'e',
        attempt: 1,
        connectTimeoutS,
        carried: null,
      };
      const handle = await lab.start(SERVING_WORKFLOW, `serving:${randomUUID()}`, [input]);
      await handle.result();
      const { events } = await handle.fetchHistory();
      const timersS = (events ?? []).reduce((sum, { timerStartedEventAttributes: timer }) => {
        const { seconds, nanos } = timer?.startToFireTimeout ?? {};
        return sum + Number(seconds ?? 0) + (nanos ?? 0) / 1e9;
      }, 0);
      return Object.assign(await handle.describe(), { timersS });
    } finally {
      await stop();
    }
  };

  const comesUpWithin = async (connectS: number, leastLooks: number) => {
    let looks = 0;
    const ended = await run(async (_input, isOverdue) => {
      looks += 1;
      return { kind: 'status', status: isOverdue ? 'FAILED' : 'CONNECTING' };
    }, connectS);
    const tookS = ((ended.closeTime?.getTime() ?? 0) - ended.startTime.getTime()) / 1000;
    expect(tookS).toBeGreaterThanOrEqual(connectS);
    // What it waited by its timers: a busy machine adds to the time it took.
    expect(ended.timersS).toBeLessThan(connectS + 5);
    expect(looks).toBeGreaterThanOrEqual(leastLooks);
  };

  it('is given its seconds to come up, not less and hardly more', () => comesUpWithin(6, 5));
  onlyWhere(noTimeSkipping)('is given its minutes to come up, not less and hardly more', () =>
    comesUpWithin(200, 61),
  );

  onlyWhere(noTimeSkipping)(
    'is given 25 minutes in all when its history is begun anew meanwhile',
    async () => {
      const startedAt: number[] = [];
      await run(async (input, isOverdue) => {
        startedAt.push(input.carried?.comingUpSinceMs ?? 0);
        return { kind: 'status', status: isOverdue ? 'FAILED' : 'CONNECTING' };
      }, 1500);
      expect(startedAt.length).toBeGreaterThan(400);
      expect(startedAt.length).toBeLessThan(520);
      expect(new Set(startedAt.filter((at) => at > 0)).size).toBe(1);
    },
  );

  onlyWhere(noTimeSkipping)(
    'begins its history anew while it runs for hours, and forgets how long it once took to come up',
    async () => {
      let looks = 0;
      const overdue: boolean[] = [];
      const ended = await run(async (input, isOverdue) => {
        looks += 1;
        overdue.push(isOverdue);
        if (looks === 400) return { kind: 'gone' };
        return { kind: 'status', status: looks === 1 && input.carried === null ? 'CONNECTING' : 'RUNNING' };
      });
      expect(overdue).not.toContain(true);
      expect(ended.historyLength).toBeLessThan(1100);
    },
  );

  onlyWhere(noTimeSkipping)('looks a few dozen times in a day at a host that is silent', async () => {
    let looks = 0;
    const ended = await run(async () => {
      looks += 1;
      return { kind: looks === 40 ? 'gone' : 'waiting' };
    });
    expect(ended.timersS).toBeGreaterThan(20 * 3600);
  });
});
