import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { killGroup, stopProcess } from '../../cli/engines/process-ref.js';
import { FACTS_VARIABLE, readFacts } from './facts.js';

/** Nothing is kept, so the engines need not end in order. */
export default async function globalTeardown(): Promise<void> {
  const file = process.env[FACTS_VARIABLE];
  if (file === undefined) return;
  for (const ref of readFacts().engines) {
    killGroup(ref);
    await stopProcess(ref, 'SIGKILL', 2_000);
  }
  rmSync(dirname(file), { recursive: true, force: true });
}
