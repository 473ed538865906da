import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TrainingActivities } from '../../../activities/training/training.activities.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { AttemptEnd } from '../../../models/training/training-work.types.js';
import { TRAINING_WORKFLOW } from '../../../models/training/training-work.types.js';
import type { Lab } from '../support/lab.js';
import { onlyWhere } from '../../setup/only-where.js';
import { noTimeSkipping, openTimeLab } from '../support/time.js';
import { fakes } from './training-experiment.scenarios.js';

describe('a training while time passes', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openTimeLab();
  });
  afterAll(() => lab.close());

  const run = async (over: Partial<TrainingActivities>): Promise<AttemptEnd[]> => {
    const ends: AttemptEnd[] = [];
    const stop = await lab.work(
      fakes(
        { status: 'SUCCEEDED', message: '' },
        { endAttempt: async (_ref, end) => void ends.push(end), ...over },
      ),
    );
    try {
      const handle = await lab.start(TRAINING_WORKFLOW, `training:${randomUUID()}`, [
        { tenantId: randomUUID(), experimentId: randomUUID(), attempt: 1 },
      ]);
      await handle.result();
      return ends;
    } finally {
      await stop();
    }
  };

  const sitOut = async (outage: { tries: number; pauseS: number }) => {
    let left = outage.tries;
    const ends = await run({
      prepareAttempt: async () => {
        left -= 1;
        if (left >= 0)
          throw unavailable('The database cannot be reached right now.', undefined, outage.pauseS);
      },
    });
    expect(left).toBe(-1);
    expect(ends).toEqual([{ status: 'SUCCEEDED', message: '' }]);
  };

  it('sits out a database that is away for some seconds', () => sitOut({ tries: 10, pauseS: 0.2 }));
  onlyWhere(noTimeSkipping)('sits out a database that is away for a quarter of an hour', () =>
    sitOut({ tries: 30, pauseS: 30 }),
  );

  onlyWhere(noTimeSkipping)(
    'writes its end when the database comes back after more than an hour',
    async () => {
      const ends: AttemptEnd[] = [];
      let left = 130;
      await run({
        endAttempt: async (_ref, end) => {
          left -= 1;
          if (left >= 0) throw unavailable('The database cannot be reached right now.', undefined, 30);
          ends.push(end);
        },
      });
      expect(ends).toEqual([{ status: 'SUCCEEDED', message: '' }]);
    },
  );
});
