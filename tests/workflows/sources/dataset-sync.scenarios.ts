import type { DatasetSyncActivities } from '../../../activities/sources/dataset-sync.activities.js';
import { conflict } from '../../../core/errors/app-error.js';
import {
  type CopyStep,
  type SourceStep,
  SYNC_WORKFLOW,
} from '../../../models/sources/sync/dataset-sync-work.types.js';
import { EVENTS_OF_A_RUN } from '../../setup/events-of-a-run.js';
import {
  cancelAtTimer,
  cancelDuring,
  lateToLetGo,
  type Scenario,
  untilCanceled,
} from '../support/scenario.js';

const input = {
  tenantId: '11111111-1111-4111-8111-111111111111',
  syncId: '44444444-4444-4444-8444-444444444444',
};
const done = async () => undefined;
/** Batches of which one run has no room for all: each takes six events of its history. */
const LONGER_THAN_A_RUN = EVENTS_OF_A_RUN / 6;
/** The batch that fills a run: it is asked for its turn and planned before. */
const LAST_OF_A_RUN = LONGER_THAN_A_RUN - 2;
const MORE: SourceStep<CopyStep> = { is: 'done', result: 'more' };

const syncs =
  (over: () => Partial<DatasetSyncActivities> = () => ({})) =>
  (): DatasetSyncActivities => {
    const steps: CopyStep[] = ['more', 'more', 'complete'];
    return {
      admitSync: async () => true,
      planSync: async () => ({ is: 'done', result: 1200 }),
      copySyncFiles: async () => ({ is: 'done', result: steps.shift() ?? 'complete' }),
      completeSync: done,
      abandonSync: done,
      ...over(),
    };
  };

export const SYNC_SCENARIOS: readonly Scenario[] = [
  { type: SYNC_WORKFLOW, name: 'success', args: [input], activities: syncs(), ends: { result: null } },
  {
    type: SYNC_WORKFLOW,
    name: 'success-nothing-to-copy',
    args: [input],
    activities: syncs(() => ({ planSync: async () => ({ is: 'done', result: 0 }) })),
    ends: { result: null },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'success-after-its-turn',
    args: [input],
    activities: () => {
      let asked = 0;
      return syncs(() => ({ admitSync: async () => (asked++ > 0 ? true : { ahead: 0 }) }))();
    },
    ends: { result: null },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'cancel-while-waiting',
    args: [input],
    activities: syncs(() => ({ admitSync: async () => ({ ahead: 3 }) })),
    meanwhile: cancelAtTimer,
    ends: 'cancelled',
  },
  {
    type: SYNC_WORKFLOW,
    name: 'success-slow-and-away',
    args: [input],
    activities: () => {
      const plans: SourceStep<number>[] = [
        { is: 'away', forMs: 50 },
        { is: 'long' },
        { is: 'done', result: 3 },
      ];
      const copies: SourceStep<CopyStep>[] = [
        { is: 'long' },
        { is: 'away', forMs: 50 },
        { is: 'done', result: 'more' },
        { is: 'done', result: 'complete' },
      ];
      return syncs(() => ({
        planSync: async () => plans.shift() as SourceStep<number>,
        copySyncFiles: async () => copies.shift() as SourceStep<CopyStep>,
      }))();
    },
    ends: { result: null },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'success-grown-long',
    args: [input],
    activities: () => {
      let batches = 0;
      return syncs(() => ({
        copySyncFiles: async () => ({
          is: 'done',
          result: ++batches > LONGER_THAN_A_RUN ? 'complete' : 'more',
        }),
      }))();
    },
    ends: { result: null, wentOn: true },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'cancel-when-grown-long',
    args: [input],
    activities: () => {
      let batches = 0;
      // The last batch before the run would go on as a new one ends as if nobody had asked for a cancel meanwhile.
      return syncs(() => ({
        copySyncFiles: async () => (++batches < LAST_OF_A_RUN ? MORE : untilCanceled(MORE)),
      }))();
    },
    meanwhile: cancelDuring('copySyncFiles', LAST_OF_A_RUN),
    ends: 'cancelled',
  },
  {
    type: SYNC_WORKFLOW,
    name: 'cancel-while-source-is-away',
    args: [input],
    activities: syncs(() => ({ copySyncFiles: async () => ({ is: 'away', forMs: 3_600_000 }) })),
    meanwhile: cancelAtTimer,
    ends: 'cancelled',
  },
  {
    type: SYNC_WORKFLOW,
    name: 'failure-source-refuses',
    args: [input],
    activities: syncs(() => ({
      copySyncFiles: () => Promise.reject(conflict('The source refuses the token.')),
    })),
    ends: { failureType: 'conflict' },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'failure-no-manifest',
    args: [input],
    activities: syncs(() => ({ planSync: () => Promise.reject(conflict('Nobody listens.')) })),
    ends: { failureType: 'conflict' },
  },
  {
    type: SYNC_WORKFLOW,
    name: 'cancel-while-planning',
    args: [input],
    activities: syncs(() => {
      const { work, close } = lateToLetGo();
      return { planSync: work, abandonSync: close };
    }),
    meanwhile: cancelDuring('planSync'),
    ends: 'cancelled',
  },
  {
    type: SYNC_WORKFLOW,
    name: 'cancel',
    args: [input],
    activities: syncs(() => {
      const { work, close } = lateToLetGo();
      return { copySyncFiles: work, abandonSync: close };
    }),
    meanwhile: cancelDuring('copySyncFiles'),
    ends: 'cancelled',
  },
];
