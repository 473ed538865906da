import { describe, expect, it } from '@jest/globals';
import { Circuit } from '../../activities/dispatch/circuit.js';

describe('the circuit before Temporal', () => {
  it('is not open any more once Temporal answers, also while no entry is there to try', async () => {
    let nowMs = 0;
    let isAway = true;
    const shown: boolean[] = [];
    const circuit: Circuit = new Circuit({
      reach: () => (isAway ? Promise.reject(new Error('no answer')) : Promise.resolve()),
      now: () => nowMs,
      onChange: () => void shown.push(circuit.isOpen),
    });
    for (let failures = 0; failures < 5; failures += 1) circuit.record('no answer');
    nowMs = 10_000;
    expect(await circuit.waitMs()).toBeGreaterThan(0);
    isAway = false;
    nowMs = 20_000;
    expect([await circuit.waitMs(), await circuit.waitMs()]).toEqual([0, 0]);
    expect(circuit.allowance(50)).toBe(1);
    expect(shown).toEqual([true, false]);
  });
});
