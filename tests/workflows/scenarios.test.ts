import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testNamespace } from '../setup/engines.js';
import { SCENARIOS } from './scenarios.js';
import { type Lab, openLab } from './support/lab.js';
import { play } from './support/scenario.js';

describe('workflow scenarios', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab(await testNamespace());
  });
  afterAll(() => lab.close());

  it.each(SCENARIOS.map((scenario) => [`${scenario.type}/${scenario.name}`, scenario] as const))(
    '%s ends as it should',
    async (_name, scenario) => {
      const { ending } = await play(lab, scenario, randomUUID());
      expect(ending).toEqual(scenario.ends);
      // Some fill a whole run with events.
    },
    180_000,
  );
});
