import { beforeAll, describe, expect, it } from '@jest/globals';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import * as workflows from '../../workflows/index.js';
import { SCENARIOS } from './scenarios.js';
import {
  CURRENT_RELEASE,
  type HistoryJson,
  mutationsOf,
  type StoredHistory,
  storedHistories,
} from './support/histories.js';
import { bundlePath } from './support/lab.js';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'OFF' as never, forward: {} } },
});

const CASES = ['success', 'failure', 'cancel'] as const;
const types = Object.keys(workflows);
const histories = storedHistories();
const current = histories.filter(({ release }) => release === CURRENT_RELEASE);

/** What each replay ended with, by the key of its history. One worker replays them all: each worker holds the bundle once more. */
async function outcomesOf(keyed: Iterable<readonly [key: string, json: HistoryJson]>) {
  function* listed() {
    for (const [workflowId, history] of keyed) yield { workflowId, history };
  }
  const outcomes = new Map<string, Error | undefined>();
  const options = { workflowBundle: { codePath: bundlePath } };
  for await (const { workflowId, error } of Worker.runReplayHistories(options, listed())) {
    outcomes.set(workflowId, error);
  }
  return outcomes;
}

const keyOf = ({ release, type, name }: StoredHistory) => `${release}/${type}/${name}`;

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

  describe('as they are', () => {
    let outcomes: Map<string, Error | undefined>;
    beforeAll(async () => {
      outcomes = await outcomesOf(histories.map((history) => [keyOf(history), history.json]));
    });

    it.each(histories.map(keyOf))('%s is replayed without a difference', (key) => {
      expect(outcomes.has(key)).toBe(true);
      expect(outcomes.get(key)).toBeUndefined();
    });
  });

  it.each(types)('of %s are rejected when the workflow would act differently', async (type) => {
    const changed = histories
      .filter((history) => history.type === type)
      .flatMap((history) =>
        mutationsOf(history.json).map(({ what, json }) => [`${keyOf(history)}: ${what}`, json] as const),
      );
    expect(changed.length).toBeGreaterThan(0);
    const outcomes = await outcomesOf(changed);
    for (const [key] of changed) {
      const error = outcomes.get(key);
      expect(`${key}: ${error?.name}: ${error?.message}`).toMatch(
        /: (DeterminismViolationError|ReplayError): .*(nondeterminis|out of order)/is,
      );
    }
  });

  it('hold no name of a machine', () => {
    for (const { json } of histories) expect(JSON.stringify(json)).not.toMatch(/\d+@[\w-]+/);
  });
});
