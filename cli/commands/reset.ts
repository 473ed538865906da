import { existsSync, rmSync } from 'node:fs';
import { BASELINE } from '../../models/migrations/baseline.js';
import { type Arguments, UsageError } from '../arguments.js';
import { StateFile } from '../supervisor/state.js';
import { moveAside, wipeElsewhere } from '../supervisor/wipe.js';
import { stopPlatform } from './stop.js';

/**
 * Stops everything and removes all data of this data directory. Data from before the first release, which this version
 * cannot read, is moved aside instead: whoever needs it still has it.
 */
export async function reset(args: Arguments): Promise<number> {
  if (!args.yes) throw new UsageError(`reset removes all data in ${args.dataDir}: add --yes if you mean it.`);
  if (!MARKS.some((name) => existsSync(`${args.dataDir}/${name}`)))
    throw new UsageError(`${args.dataDir} holds no platform: there is nothing to remove.`);
  const { databaseLocation: location, baseline } = new StateFile(args.dataDir).current;
  await stopPlatform(args.dataDir);
  if (location !== null && baseline !== BASELINE) {
    const places = moveAside(args.dataDir, location, OURS);
    console.log(
      `moved the data in ${args.dataDir}, which is from before the first release, to ${places.join(' and ')}`,
    );
    return 0;
  }
  wipeElsewhere(args.dataDir, location);
  for (const name of OURS) rmSync(`${args.dataDir}/${name}`, { recursive: true, force: true });
  console.log(`removed the data in ${args.dataDir}`);
  return 0;
}

/** A directory with none of these was never a platform's: its folders are somebody else's, whatever their names. */
const MARKS = ['secrets.json', 'supervisor.json'];

/** What the platform makes in a data directory. Whatever else lies there is not ours to remove. */
const OURS = [
  'postgres',
  'temporal',
  's3',
  'workloads',
  'mail',
  'logs',
  'sample',
  'venvs',
  'cache',
  'tmp',
  'handover',
  'secrets.json',
  'supervisor.json',
  'supervisor.lock',
  'platform.json',
];
