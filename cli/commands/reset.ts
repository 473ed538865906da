import { rmSync } from 'node:fs';
import { BASELINE } from '../../models/migrations/baseline.js';
import { type Arguments, UsageError } from '../arguments.js';
import { holdsPlatform } from '../supervisor/files.js';
import { StateFile } from '../supervisor/state.js';
import { moveAside, wipeElsewhere } from '../supervisor/wipe.js';
import { stopPlatform } from './stop.js';

/**
 * Stops everything and removes all data of this data directory. With `--aside`, and where the data is from before the first
 * release, which this version cannot read, it is moved aside instead: whoever needs it still has it.
 */
export async function reset(args: Arguments): Promise<number> {
  const isAside = args.switches.has('aside');
  const what = isAside
    ? `reset --aside moves all data in ${args.dataDir} away`
    : `reset removes all data in ${args.dataDir}`;
  if (!args.yes) throw new UsageError(`${what}: add --yes if you mean it.`);
  if (!holdsPlatform(args.dataDir))
    throw new UsageError(`${args.dataDir} holds no platform: there is nothing to remove.`);
  const { databaseLocation: location, baseline } = new StateFile(args.dataDir).current;
  await stopPlatform(args.dataDir);
  if (isAside || (location !== null && baseline !== BASELINE)) {
    const places = moveAside(args.dataDir, location, OURS);
    console.log(`moved the data in ${args.dataDir} to ${places.join(' and ')}`);
    return 0;
  }
  wipeElsewhere(args.dataDir, location);
  for (const name of OURS) rmSync(`${args.dataDir}/${name}`, { recursive: true, force: true });
  console.log(`removed the data in ${args.dataDir}`);
  return 0;
}

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
