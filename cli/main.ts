#!/usr/bin/env node
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError, withSecretFiles } from '../core/config/settings.js';
import { MigrationError } from '../models/orm/migration-error.js';
import { NextStepError } from '../models/orm/outdated-database.js';
import { type Arguments, type Command, parseArguments, UsageError } from './arguments.js';
import { EngineError } from './engines/engine.js';
import { projectRoot } from './engines/engine-lock.js';
import { hint } from './terminal/hint.js';
import { codeVersion } from './version.js';

/** Each command is loaded when it is asked for: `status` need not wait for what only `start` uses. */
const COMMANDS: Readonly<Record<Command, () => Promise<(args: Arguments) => Promise<number> | number>>> = {
  start: async () => (await import('./commands/start.js')).start,
  status: async () => (await import('./commands/status.js')).status,
  stop: async () => (await import('./commands/stop.js')).stop,
  reset: async () => (await import('./commands/reset.js')).reset,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
  sample: async () => (await import('./commands/sample.js')).sample,
  password: async () => (await import('./commands/password.platform.js')).password,
  migrate: async () => (await import('./commands/migrate.js')).migrate,
  hosts: async () => (await import('./commands/hosts.js')).hosts,
  'forget-host': async () => (await import('./commands/hosts.js')).forgetHost,
  'retry-dispatch': async () => (await import('./commands/retry-dispatch.js')).retryDispatch,
  'reseal-secrets': async () => (await import('./commands/reseal-secrets.js')).resealSecrets,
  backup: async () => (await import('./commands/backup.js')).backup,
  restore: async () => (await import('./commands/restore.js')).restore,
  import: async () => (await import('./commands/import.js')).importFrom,
  'simulate-devices': async () => (await import('./commands/simulate-devices.js')).simulateDevices,
  'verify-audit': async () => (await import('./commands/verify-audit.js')).verifyAudit,
  'verify-erasure': async () => (await import('./commands/verify-erasure.js')).verifyErasure,
};

async function main(): Promise<number> {
  const args = parseArguments(process.argv.slice(2), process.cwd());
  if (args.help || args.version) {
    console.log(
      args.help ? readFileSync(join(projectRoot(), 'cli/usage.txt'), 'utf8').trimEnd() : codeVersion(),
    );
    return 0;
  }
  if (existsSync(args.dataDir) && !statSync(args.dataDir).isDirectory())
    throw new UsageError(`${args.dataDir} is not a directory: name another by --data-dir.`);
  openSecretFiles();
  const run = await COMMANDS[args.command]();
  try {
    return await run(args);
  } catch (error) {
    // What refuses a database knows no data directory, and the next step may be to remove one.
    if (!(error instanceof NextStepError)) throw error;
    throw new EngineError(error.messageWith((words) => hint(words, args.dataDir)));
  }
}

/** Commands know secrets by their variables, however these were given. */
function openSecretFiles(): void {
  const opened = withSecretFiles(process.env);
  for (const name of Object.keys(process.env)) if (!(name in opened)) delete process.env[name];
  Object.assign(process.env, opened);
}

/** Errors that say all there is to say: shown without a stack. */
const EXPECTED = [UsageError, EngineError, SettingsError, MigrationError];

// A terminal that is gone must not keep the rest from being stopped in order.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isExpected = EXPECTED.some((type) => error instanceof type);
    process.stderr.write(
      `visionops: ${isExpected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`,
    );
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
