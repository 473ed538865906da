import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testNamespace } from '../../setup/engines.js';
import { type Lab, openLab } from './lab.js';
import { play, type Scenario } from './scenario.js';

/** A test for each scenario: it ends as it says. */
export function playScenarios(scenarios: readonly Scenario[]): void {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(await testNamespace());
  });
  afterAll(() => lab.close());

  it.each(scenarios.map((scenario) => [`${scenario.type}/${scenario.name}`, scenario] as const))(
    '%s ends as it should',
    async (_name, scenario) => {
      const { ending } = await play(lab, scenario, randomUUID());
      expect(ending).toEqual(scenario.ends);
      // Some fill a whole run with events.
    },
    180_000,
  );
}
