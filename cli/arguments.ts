import { resolve } from 'node:path';

export const COMMANDS = [
  'start',
  'status',
  'stop',
  'reset',
  'doctor',
  'sample',
  'password',
  'migrate',
  'backup',
  'restore',
  'verify-audit',
  'verify-erasure',
  'hosts',
  'forget-host',
  'retry-dispatch',
  'reseal-secrets',
  'import',
  'simulate-devices',
] as const;
export type Command = (typeof COMMANDS)[number];

export interface Arguments {
  readonly command: Command;
  /** Absolute. */
  readonly dataDir: string;
  /** Null when none was asked for. */
  readonly port: number | null;
  readonly sample: boolean;
  readonly ephemeral: boolean;
  readonly output: 'text' | 'env' | 'json';
  readonly yes: boolean;
  /** Flags without a value that only some commands take, by their names without dashes. */
  readonly switches: ReadonlySet<OwnSwitch>;
  /** Files, or the id, that a command was given, as it was written. */
  readonly files: readonly string[];
  /** What was given to flags that only some commands take, by their names without dashes. */
  readonly own: Readonly<Partial<Record<OwnFlag, string>>>;
  readonly help: boolean;
  readonly version: boolean;
}

/** Flags with a value that only these commands take. */
const OWN_FLAGS = {
  from: ['import'],
  to: ['import'],
  tenant: ['import', 'simulate-devices'],
  url: ['simulate-devices'],
  count: ['simulate-devices'],
  duration: ['simulate-devices'],
  interval: ['simulate-devices'],
  misbehave: ['simulate-devices'],
  'fail-deploys': ['simulate-devices'],
  seed: ['simulate-devices'],
  prefix: ['simulate-devices'],
} as const satisfies Readonly<Record<string, readonly Command[]>>;
export type OwnFlag = keyof typeof OWN_FLAGS;

/** Flags without a value that only these commands take. */
const OWN_SWITCHES = {
  remove: ['simulate-devices'],
  aside: ['reset'],
} as const satisfies Readonly<Record<string, readonly Command[]>>;
export type OwnSwitch = keyof typeof OWN_SWITCHES;

/** Wrong use of the command line: shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How many files or ids a command may be given. */
const FILES: Partial<Record<Command, number>> = {
  ...{ 'verify-erasure': 2, 'forget-host': 1, backup: 1, restore: 1, import: 1 },
};
const NO_WAY_DOWN =
  'A migration is not taken back: the version before runs on the schema as it is, and what must be undone is ' +
  'restored from the backup that was made before the upgrade (docs/guide/upgrade.md).';
const FLAGS = [
  '--data-dir',
  '--port',
  '--no-sample',
  '--ephemeral',
  '--output',
  '--yes',
  ...[...Object.keys(OWN_SWITCHES), ...Object.keys(OWN_FLAGS)].map((name) => `--${name}`),
  '--help',
  '--version',
];

/**
 * @param words what stands after `npm start --`
 * @throws UsageError naming the word and what would be right
 */
export function parseArguments(words: readonly string[], cwd: string): Arguments {
  const found = {
    command: null as Command | null,
    dataDir: null as string | null,
    port: null as number | null,
    sample: true,
    ephemeral: false,
    output: 'text' as Arguments['output'],
    yes: false,
    switches: new Set<OwnSwitch>(),
    files: [] as string[],
    own: {} as Partial<Record<OwnFlag, string>>,
    help: false,
    version: false,
  };
  const queue = words.flatMap((word) =>
    /^--[a-z-]+=/.test(word) ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word],
  );
  const valueOf = (flag: string): string => {
    const value = queue.shift();
    if (value === undefined || value === '') throw new UsageError(`${flag} needs a value.`);
    return value;
  };
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--data-dir') found.dataDir = resolve(cwd, valueOf(word));
    else if (word === '--port') found.port = parsePort(valueOf(word));
    else if (word === '--no-sample') found.sample = false;
    else if (word === '--ephemeral') found.ephemeral = true;
    else if (word === '-o' || word === '--output') found.output = parseOutput(valueOf(word));
    else if (isIn(OWN_FLAGS, word)) found.own[word.slice(2) as OwnFlag] = valueOf(word);
    else if (isIn(OWN_SWITCHES, word)) found.switches.add(word.slice(2) as OwnSwitch);
    else if (word === '--yes' || word === '-y') found.yes = true;
    else if (word === '--help' || word === '-h' || (word === 'help' && found.command === null))
      found.help = true;
    else if (word === '--version' || word === '-v') found.version = true;
    else if (word.startsWith('-'))
      throw new UsageError(`${word} is not a flag. Known flags: ${FLAGS.join(', ')}.`);
    else if (found.command === null) found.command = parseCommand(word);
    else if (found.files.length < (FILES[found.command] ?? 0)) found.files.push(word);
    else if (found.command === 'migrate' && word === 'down') throw new UsageError(NO_WAY_DOWN);
    else throw new UsageError(`"${word}" is one word too many after "${found.command}".`);
  }
  if (found.ephemeral && found.dataDir !== null)
    throw new UsageError('--ephemeral makes a data directory of its own: leave out --data-dir.');
  const command = found.command ?? 'start';
  requireOwn(command, Object.keys(found.own) as OwnFlag[], OWN_FLAGS);
  requireOwn(command, [...found.switches], OWN_SWITCHES);
  return { ...found, command, dataDir: found.dataDir ?? resolve(cwd, '.data') };
}

const isIn = (own: object, word: string): boolean =>
  word.startsWith('--') && Object.hasOwn(own, word.slice(2));

/** @throws UsageError for a flag of another command */
function requireOwn<Name extends string>(
  command: Command,
  names: readonly Name[],
  takersOf: Readonly<Record<Name, readonly Command[]>>,
): void {
  for (const name of names)
    if (!takersOf[name].includes(command))
      throw new UsageError(`--${name} belongs to the command ${takersOf[name].join(' or ')}.`);
}

function parseCommand(word: string): Command {
  const command = COMMANDS.find((name) => name === word);
  if (command === undefined)
    throw new UsageError(`"${word}" is not a command. Known commands: ${COMMANDS.join(', ')}.`);
  return command;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new UsageError(`--port must be a number from 1 to 65535, not "${text}".`);
  return port;
}

function parseOutput(text: string): Arguments['output'] {
  if (text !== 'env' && text !== 'json') throw new UsageError(`-o must be env or json, not "${text}".`);
  return text;
}
