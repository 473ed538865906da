import { describe, expect, it } from '@jest/globals';
import { trailOf } from '../../../web/src/models/promotion/trail.ts';

type Facts = Parameters<typeof trailOf>[0];

const fresh: Facts = {
  status: 'PENDING_CHECKS',
  requires_approval: false,
  decision: null,
  watched: false,
  applied_at: null,
  checks: [],
  rollback_conditions: [],
};
const at = '2026-01-01T00:00:00Z';
const decision = {
  decision: 'approve',
  comment: null,
  decided_by: null,
  decided_by_name: null,
  decided_at: at,
} as const;

describe('trail of a promotion', () => {
  it.each<[string, Partial<Facts>, [string, string, string, string]]>([
    ['is being checked', {}, ['now', 'ahead', 'ahead', 'ahead']],
    [
      'waits for a second person',
      { status: 'WAITING_APPROVAL', requires_approval: true },
      ['done', 'now', 'ahead', 'ahead'],
    ],
    [
      'was approved',
      { status: 'APPROVED', requires_approval: true, decision },
      ['done', 'done', 'now', 'ahead'],
    ],
    [
      'was rejected',
      { status: 'REJECTED', requires_approval: true, decision: { ...decision, decision: 'reject' } },
      ['done', 'failed', 'never', 'never'],
    ],
    ['expired', { status: 'EXPIRED', requires_approval: true }, ['done', 'failed', 'never', 'never']],
    [
      'failed a check',
      {
        status: 'FAILED',
        requires_approval: true,
        checks: [{ key: 'artifact', result: 'failed', message: '' }],
      },
      ['failed', 'never', 'never', 'never'],
    ],
    [
      'is in Production and watched',
      { status: 'APPLIED', applied_at: at, watched: true },
      ['done', 'done', 'done', 'now'],
    ],
    ['was rolled back', { status: 'ROLLED_BACK', applied_at: at }, ['done', 'done', 'undone', 'undone']],
  ])('%s', (_, change, [checks, approval, applied, watch]) => {
    expect(trailOf({ ...fresh, ...change })).toEqual({ checks, approval, applied, watch });
  });
});
