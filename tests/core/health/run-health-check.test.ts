import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { runHealthCheck } from '../../../core/health/run-health-check.js';
import type { HealthCheck, HealthFinding } from '../../../core/ports/health-check.js';

const check = (run: HealthCheck['run']): HealthCheck => ({ name: 'x', hint: 'Look at it.', run });
const OK: HealthFinding = { status: 'ok', message: 'Answers.' };

/** As loading a large library does on a machine that is full. */
function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a look at a component', () => {
  it('hears an answer that came while the process itself stood still', async () => {
    const found = runHealthCheck(
      check(async () => {
        await readFile('package.json');
        return OK;
      }),
    );
    standStill(2500);
    expect(await found).toEqual(OK);
  });

  it('calls down what does not answer, and has it end', async () => {
    let signal: AbortSignal | undefined;
    const silent = check((given) => {
      signal = given;
      return new Promise(() => undefined);
    });
    expect(await runHealthCheck(silent)).toEqual({ status: 'down', message: 'No answer within 2 s.' });
    expect(signal?.aborted).toBe(true);
  });

  it('calls down what fails, in its own words', async () => {
    const broken = check(() => Promise.reject(new Error('connection refused')));
    expect(await runHealthCheck(broken)).toEqual({ status: 'down', message: 'connection refused' });
  });
});
