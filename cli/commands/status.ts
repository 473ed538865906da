import type { Arguments } from '../arguments.js';
import { isRunning } from '../engines/process-ref.js';
import { dataFiles, holdsPlatform, readJson } from '../supervisor/files.js';
import { lockHolder } from '../supervisor/lock.js';
import { hint } from '../terminal/hint.js';
import { CHILD_NAMES, StateFile } from '../supervisor/state.js';

const NOT_RUNNING = 3;

type State = 'stopped' | 'unsupervised' | 'starting' | 'running' | 'stopping';

/** Pure. `unsupervised`: the supervisor was killed, and parts of the platform go on without anybody who looks after them. */
export function stateOf(seen: {
  isHeld: boolean;
  isReady: boolean;
  isStopping: boolean;
  isLeft: boolean;
}): State {
  if (!seen.isHeld) return seen.isLeft ? 'unsupervised' : 'stopped';
  if (seen.isStopping) return 'stopping';
  return seen.isReady ? 'running' : 'starting';
}

const showsFacts = (state: State): boolean => state === 'running' || state === 'unsupervised';

type Facts = Record<string, unknown> & { base_url: string; pids: Record<string, number | null> };

/** Prints what runs. `-o env` and `-o json` hold everything a program on this machine needs, secrets included. */
export function status(args: Arguments): number {
  const holder = lockHolder(args.dataDir);
  const facts = readJson(dataFiles(args.dataDir).platform) as Facts | null;
  const supervised = new StateFile(args.dataDir).current;
  const left = CHILD_NAMES.some(
    (name) => supervised.children[name] !== undefined && isRunning(supervised.children[name]),
  );
  const state = stateOf({
    isHeld: holder !== null,
    isReady: facts !== null,
    isStopping: supervised.stopping,
    isLeft: left,
  });
  if (args.output === 'json')
    console.log(
      JSON.stringify({ status: state, data_dir: args.dataDir, ...(showsFacts(state) ? facts : {}) }, null, 2),
    );
  else if (args.output === 'env')
    console.log(asEnvironment(state, args.dataDir, showsFacts(state) ? facts : null));
  else console.log(asText(state, args, holder?.pid ?? null, facts));
  return state === 'stopped' ? NOT_RUNNING : 0;
}

/** Lines that a shell can read: `eval "$(npm start --silent -- status -o env)"`. */
function asEnvironment(state: string, dataDir: string, facts: Facts | null): string {
  const { pids, ...rest } = facts ?? { pids: {} };
  const values = {
    status: state,
    data_dir: dataDir,
    ...rest,
    ...Object.fromEntries(Object.entries(pids).map(([name, pid]) => [`${name}_pid`, pid])),
  };
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `VISIONOPS_${name.toUpperCase()}='${String(value).replaceAll("'", "'\\''")}'`)
    .join('\n');
}

function asText(state: State, args: Arguments, supervisor: number | null, facts: Facts | null): string {
  if (state === 'stopped' && !holdsPlatform(args.dataDir))
    return `VisionOps is stopped: there is no platform in ${args.dataDir}. Name its folder by --data-dir.`;
  const children = new StateFile(args.dataDir).current.children;
  const lines = CHILD_NAMES.flatMap((name) => {
    const child = children[name];
    return child === undefined
      ? []
      : [`  ${name.padEnd(12)} ${isRunning(child) ? `runs (process ${child.pid})` : 'is down'}`];
  });
  const head = [
    `VisionOps is ${state}${supervisor === null ? '' : ` (process ${supervisor})`}`,
    `  ${'data'.padEnd(12)} ${args.dataDir}`,
  ];
  if (showsFacts(state) && facts !== null) head.push(`  ${'address'.padEnd(12)} ${facts.base_url}`);
  const next =
    state === 'unsupervised'
      ? [
          `Its supervisor has ended without stopping it: ${hint('', args.dataDir)} takes it over, ${hint('stop', args.dataDir)} ends it.`,
        ]
      : [];
  return [...head, ...lines, ...next].join('\n');
}
