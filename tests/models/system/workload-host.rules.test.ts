import { describe, expect, it } from '@jest/globals';
import { mayHold, mayHoldLater, refusalOf } from '../../../models/system/workload-host.rules.js';

const mine = { host: 'b', storeId: 's1', dataDir: '/data' };
const held = (host: string, storeId: string, ageS: number) => ({ host, storeId, dataDir: '/var/data', ageS });

describe('the machine that runs workloads as processes', () => {
  it.each([
    ['nobody', null, true],
    ['this machine and directory, alive', held('b', 's1', 1), true],
    ['this machine and directory, silent', held('b', 's1', 99), true],
    ['another machine, alive', held('a', 's2', 1), false],
    ['another machine, silent: its processes may live', held('a', 's2', 9999), false],
    ['another machine on the same directory, alive', held('a', 's1', 1), false],
    ['another machine on the same directory, silent', held('a', 's1', 31), true],
    ['this machine with another directory, alive', held('b', 's2', 1), false],
    ['this machine with another directory, silent', held('b', 's2', 31), true],
  ])('held by %s', (_who, holder, expected) => {
    expect(mayHold(mine, holder)).toBe(expected);
  });

  it('is waited for only where silence would help', () => {
    expect(mayHoldLater(mine, held('a', 's1', 1))).toBe(true);
    expect(mayHoldLater(mine, held('a', 's2', 1))).toBe(false);
  });

  it('is named in the refusal, with the way out', () => {
    expect(refusalOf(mine, held('a', 's2', 4))).toMatch(
      /on host a .*\/var\/data.* start it there.*delete from workload_host/,
    );
  });
});
