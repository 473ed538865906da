import { dirname } from 'node:path';
import { waitForEnd } from '../../cli/engines/process-ref.js';
import { FACTS_VARIABLE, readFacts } from './facts.js';
import { endRun, killRun } from './run-folder.js';

/** Nothing is kept, so the engines need not end in order. */
export default async function globalTeardown(): Promise<void> {
  const file = process.env[FACTS_VARIABLE];
  if (file === undefined) return;
  const folder = dirname(file);
  const { engines } = readFacts();
  killRun(folder, engines);
  for (const ref of engines) await waitForEnd(ref, 2_000);
  endRun(folder, engines);
}
