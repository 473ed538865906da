import { describe, expect, it } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import * as workflows from '../../workflows/index.js';
import { SCENARIOS } from './scenarios.js';
import { CURRENT_RELEASE, type HistoryJson, mutationsOf, storedHistories } from './support/histories.js';
import { bundlePath } from './support/lab.js';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'OFF' as never, forward: {} } },
});

const CASES = ['success', 'failure', 'cancel'] as const;
const types = Object.keys(workflows);
const histories = storedHistories();
const current = histories.filter(({ release }) => release === CURRENT_RELEASE);
const replay = (json: HistoryJson) =>
  Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, json, 'replayed');

describe('stored histories', () => {
  it.each(types)('exist for %s: success, failure and cancel', (type) => {
    const missing = CASES.filter(
      (name) => !histories.some((history) => history.type === type && history.name.startsWith(name)),
    );
    // Record with: node dist/tests/workflows/record.js <type>
    expect(missing).toEqual([]);
  });

  it('belong to workflow types and scenarios that exist', () => {
    const known = new Set(SCENARIOS.map((scenario) => `${scenario.type}/${scenario.name}`));
    expect(
      histories.filter((history) => !types.includes(history.type)).map((history) => history.type),
    ).toEqual([]);
    // Those of earlier releases stay as they are for as long as such workflows may run.
    expect(
      current.map((history) => `${history.type}/${history.name}`).filter((history) => !known.has(history)),
    ).toEqual([]);
  });

  it.each(histories.map(({ release, type, name, json }) => [`${release}/${type}/${name}`, json] as const))(
    '%s is replayed without a difference',
    async (_name, json) => {
      await expect(replay(json)).resolves.toBeUndefined();
    },
  );

  it.each(types)('of %s are rejected when the workflow would act differently', async (type) => {
    const mutations = histories
      .filter((history) => history.type === type)
      .flatMap((history) => mutationsOf(history.json));
    expect(mutations.length).toBeGreaterThan(0);
    for (const { what, json } of mutations) {
      const outcome = await replay(json).then(
        () => `replayed although changed: ${what}`,
        (error: Error) => `${error.name}: ${error.message}`,
      );
      expect(outcome).toMatch(/^(DeterminismViolationError|ReplayError): .*(nondeterminis|out of order)/is);
    }
  });

  it('hold no name of a machine', () => {
    for (const { json } of histories) expect(JSON.stringify(json)).not.toMatch(/\d+@[\w-]+/);
  });
});
