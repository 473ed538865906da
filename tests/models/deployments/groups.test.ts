import { describe, expect, it } from '@jest/globals';
import type { Group, GroupWish, StepCount } from '../../../models/deployments/deployment.types.js';
import { assertGroups, planGroups } from '../../../models/deployments/group-plan.rules.js';
import {
  brokenGroupText,
  countGroup,
  groupVerdict,
} from '../../../models/deployments/follow-up/group-verdict.rules.js';

const wish = (over: Partial<GroupWish> = {}): GroupWish => ({
  ...{ size: null, percent: null, successThreshold: 100, errorThreshold: 0 },
  ...over,
});
const sizes = (groups: readonly Group[]) => groups.map(({ size }) => size);

describe('groups of a deployment', () => {
  it('hold every device, whatever is stated', () => {
    expect(sizes(planGroups(7, 'replace', []))).toEqual([7]);
    expect(sizes(planGroups(40, 'canary', []))).toEqual([4, 36]);
    expect(sizes(planGroups(3, 'canary', []))).toEqual([1, 2]);
    expect(sizes(planGroups(1, 'canary', []))).toEqual([1]);
    expect(sizes(planGroups(100, 'replace', [wish({ size: 5 }), wish({ percent: 20 }), wish()]))).toEqual([
      5, 20, 75,
    ]);
    expect(sizes(planGroups(100, 'replace', [wish({ size: 5 }), wish({ size: 10 })]))).toEqual([5, 95]);
    expect(sizes(planGroups(4, 'replace', [wish({ size: 3 }), wish({ size: 9 }), wish()]))).toEqual([3, 1]);
    for (const devices of [1, 2, 3, 17, 10_000])
      for (const groups of [
        [],
        [wish({ percent: 33 }), wish({ percent: 33 }), wish()],
        [wish({ percent: 0.01 }), wish()],
      ])
        expect(sizes(planGroups(devices, 'canary', groups)).reduce((sum, size) => sum + size, 0)).toBe(
          devices,
        );
  });

  it('are refused where they say two things or nothing', () => {
    const refused = (...groups: GroupWish[]) =>
      expect(() => assertGroups(groups)).toThrow(expect.objectContaining({ code: 'unprocessable_entity' }));
    refused(wish({ size: 1, percent: 10 }));
    refused(wish(), wish({ size: 1 }));
    refused(wish({ percent: 0 }));
    refused(...Array.from({ length: 101 }, () => wish({ size: 1 })));
    expect(() => assertGroups([wish({ size: 1 }), wish()])).not.toThrow();
  });

  const judge = (
    group: Partial<Group>,
    counts: Partial<Record<'succeeded' | 'failed' | 'canceled' | 'open', number>>,
  ) =>
    groupVerdict(
      { size: 10, successThreshold: 100, errorThreshold: 0, ...group },
      { succeeded: 0, failed: 0, canceled: 0, open: 0, ...counts },
    );

  it('break with more failures than they allow, at once', () => {
    expect(judge({}, { failed: 1, open: 9 })).toBe('broken');
    expect(judge({ errorThreshold: 20 }, { failed: 2, open: 8 })).toBe('running');
    expect(judge({ errorThreshold: 20 }, { failed: 3, open: 7 })).toBe('broken');
    expect(judge({ errorThreshold: 100 }, { failed: 10 })).toBe('passed');
  });

  it('let the next one begin once enough have succeeded, or all have ended', () => {
    expect(judge({}, { succeeded: 9, open: 1 })).toBe('running');
    expect(judge({}, { succeeded: 10 })).toBe('passed');
    expect(judge({ successThreshold: 50 }, { succeeded: 5, open: 5 })).toBe('passed');
    expect(judge({ successThreshold: 50 }, { succeeded: 4, open: 6 })).toBe('running');
    expect(judge({ errorThreshold: 10 }, { succeeded: 9, failed: 1 })).toBe('passed');
  });

  it('break where all have ended and too few have succeeded', () => {
    const wanted = { successThreshold: 90, errorThreshold: 20 };
    const count = { succeeded: 8, failed: 2, canceled: 0, open: 0 };
    expect(judge(wanted, { ...count, failed: 1, open: 1 })).toBe('running');
    expect(judge(wanted, count)).toBe('broken');
    expect(brokenGroupText({ size: 10, ...wanted }, count, null)).toBe('8 of 10 succeeded, 9 are needed.');
    expect(brokenGroupText({ size: 10, ...wanted }, count, 2)).toBe(
      'Group 2: 8 of 10 succeeded, 9 are needed.',
    );
    expect(brokenGroupText({ size: 10, ...wanted }, { ...count, failed: 3 }, 2)).toBe(
      '3 devices of group 2 failed, more than the deployment allows.',
    );
    // Devices that are not asked any more do not count.
    expect(judge(wanted, { succeeded: 8, failed: 0, canceled: 2 })).toBe('passed');
    expect(judge(wanted, { succeeded: 7, failed: 1, canceled: 2 })).toBe('broken');
    expect(judge({}, { canceled: 10 })).toBe('passed');
  });

  it('take what may fail from the devices that count, too', () => {
    const wanted = { errorThreshold: 20 };
    expect(judge(wanted, { failed: 2, canceled: 8 })).toBe('broken');
    expect(judge(wanted, { failed: 2, canceled: 5, open: 3 })).toBe('broken');
    expect(judge(wanted, { failed: 1, canceled: 5, open: 4 })).toBe('running');
    expect(judge(wanted, { succeeded: 4, failed: 1, canceled: 5 })).toBe('passed');
    const left = { succeeded: 0, failed: 2, canceled: 8, open: 0 };
    expect(brokenGroupText({ size: 10, successThreshold: 100, ...wanted }, left, null)).toBe(
      '2 devices failed, more than the deployment allows.',
    );
  });

  it('are counted from the steps of their devices', () => {
    const counts: StepCount[] = [
      { groupNo: 0, step: 'succeeded', failedStep: null, count: 3 },
      { groupNo: 0, step: 'failed', failedStep: 'installing', count: 1 },
      { groupNo: 0, step: 'failed', failedStep: 'downloading', count: 1 },
      { groupNo: 0, step: 'queued', failedStep: null, count: 2 },
      { groupNo: 0, step: 'verifying', failedStep: null, count: 4 },
      { groupNo: 1, step: 'canceled', failedStep: null, count: 5 },
    ];
    expect(countGroup(counts, 0)).toEqual({ succeeded: 3, failed: 2, canceled: 0, open: 6 });
    expect(countGroup(counts, 1)).toEqual({ succeeded: 0, failed: 0, canceled: 5, open: 0 });
  });
});
