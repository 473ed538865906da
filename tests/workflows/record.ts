import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NAMESPACE, startTemporal } from '../../cli/engines/temporal.js';
import { EVENTS_OF_A_RUN } from '../setup/events-of-a-run.js';
import { SCENARIOS } from './scenarios.js';
import { currentHistories, scrubbed } from './support/histories.js';
import { type Lab, openLab } from './support/lab.js';
import { play, type Scenario } from './support/scenario.js';

/**
 * Records the histories that replay tests compare with: `node dist/tests/workflows/record.js [type ...]`. Only after a
 * deliberate change of a workflow that no running one can meet; otherwise use `patched` and keep the old history.
 */
async function main(types: readonly string[]): Promise<void> {
  const chosen = SCENARIOS.filter((scenario) => types.length === 0 || types.includes(scenario.type));
  if (chosen.length === 0) throw new Error(`no scenario of ${types.join(', ')}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'visionops-record-'));
  const server = await startTemporal({ dataDir, inMemory: true, eventsOfARun: EVENTS_OF_A_RUN });
  try {
    const lab = await openLab({ address: `127.0.0.1:${server.ports.temporal}`, namespace: NAMESPACE });
    for (const scenario of chosen) await record(lab, scenario);
    await lab.close();
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function record(lab: Lab, scenario: Scenario): Promise<void> {
  const { ending, handle } = await play(lab, scenario, '1');
  if (!isDeepStrictEqual(ending, scenario.ends))
    throw new Error(`${scenario.type}/${scenario.name} ended with ${JSON.stringify(ending)}`);
  const folder = new URL(`${scenario.type}/`, currentHistories);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    new URL(`${scenario.name}.json`, folder),
    scrubbed(historyToJSON(await handle.fetchHistory())),
  );
  process.stdout.write(`${scenario.type}/${scenario.name}\n`);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  },
);
