import { EngineError } from '../engines/engine.js';
import { hint } from '../terminal/hint.js';
import { dataFiles, readJson } from './files.js';
import { lockHolder } from './lock.js';
import { StateFile } from './state.js';

export interface LocalPlatform {
  /** Where its API can be reached from this machine. */
  readonly baseUrl: string;
  readonly adminEmail: string;
}

/**
 * The platform that runs on a data directory of this machine.
 * @param otherwise what else could be done, for the message
 * @throws EngineError when none runs
 */
export function localPlatform(dataDir: string, otherwise?: string): LocalPlatform {
  const facts = readJson(dataFiles(dataDir).platform) as { base_url: string; admin_email: string } | null;
  if (lockHolder(dataDir) === null || facts === null)
    throw new EngineError(
      `The platform does not run on ${dataDir}: run "${hint('', dataDir)}" first, in another terminal${otherwise === undefined ? '' : `, ${otherwise}`}.`,
    );
  // Whatever stands in front of the API may not be reachable from here.
  const port = new StateFile(dataDir).current.children.api?.ports.http;
  return {
    baseUrl: port === undefined ? facts.base_url : `http://127.0.0.1:${port}`,
    adminEmail: facts.admin_email,
  };
}
