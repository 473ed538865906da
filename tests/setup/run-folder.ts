import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeStoreSockets } from '../../cli/engines/object-store.js';
import { killGroup, type ProcessRef } from '../../cli/engines/process-ref.js';
import { StateFile } from '../../cli/supervisor/state.js';
import type { EngineFacts } from './facts.js';

/** What tests write into the folder of temporary files is in the folder of their run. */
export const temporaryFolder = (run: string): string => join(run, 'tmp');

/** Kills the engines of a run and the platforms that its tests started and did not end. */
export function killRun(run: string, engines: readonly ProcessRef[]): void {
  for (const state of platformsOf(run)) {
    const { supervisor, children } = state.current;
    for (const ref of [supervisor, ...Object.values(children)]) if (ref) killGroup(ref);
  }
  for (const ref of engines) killGroup(ref);
}

/** Kills what is left of a run and removes everything that it wrote. */
export function endRun(run: string, engines: readonly ProcessRef[]): void {
  killRun(run, engines);
  for (const ports of [storePortsOf(run), ...platformsOf(run).map((state) => state.portsOf('s3'))])
    removeStoreSockets(ports);
  // What was killed a moment ago may still write.
  rmSync(run, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

const platformsOf = (run: string): StateFile[] =>
  entriesOf(temporaryFolder(run))
    .filter((name) => name.startsWith('visionops-whole-'))
    .map((name) => new StateFile(join(temporaryFolder(run), name)));

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function storePortsOf(run: string): Readonly<Record<string, number>> {
  try {
    return (JSON.parse(readFileSync(join(run, 'engines.json'), 'utf8')) as EngineFacts).storePorts;
  } catch {
    // Its engines did not come up.
    return {};
  }
}
