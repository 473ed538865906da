import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { PasswordHasher } from '../../api/auth/password-hasher.js';
import { setPassword } from '../../models/accounts/account-changes.platform.js';
import { findUserByEmail } from '../../models/accounts/account.platform.js';
import { passwordProblem } from '../../models/accounts/password.rules.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { DEFAULT_ADMIN_EMAIL } from '../supervisor/environment.js';
import { generatePassword } from '../supervisor/secrets.js';
import { withPlatformDatabase } from './platform-database.js';

/** Sets a new password of the administrator and ends all its sign-ins. An empty line generates one, shown once. */
export async function password(args: Arguments): Promise<number> {
  const email = process.env.SERVICE_INIT_ADMIN_EMAIL || DEFAULT_ADMIN_EMAIL;
  const typed = await readPassword(email);
  const next = typed === '' ? generatePassword() : typed;
  const problem = passwordProblem(next, email);
  if (problem !== null) throw new EngineError(problem);
  const hash = await new PasswordHasher().hash(next, 'known');
  await withPlatformDatabase(args.dataDir, (db) =>
    db.inPlatform(async (tx) => {
      const user = await requireAdministrator(tx, email);
      await setPassword(tx, SYSTEM_ACTOR, user.id, hash);
    }),
  );
  console.log(
    typed === ''
      ? `The new password of ${email} is ${next}   (shown only now: keep it)`
      : `The password of ${email} is set. All its sign-ins have ended.`,
  );
  return 0;
}

/** @throws EngineError when the administrator has no account under this address */
export async function requireAdministrator(tx: PlatformTransaction, email: string) {
  const user = await findUserByEmail(tx, email);
  if (user === null)
    throw new EngineError(
      `There is no account ${email}: name the administrator with SERVICE_INIT_ADMIN_EMAIL.`,
    );
  return user;
}

/** Typed without an echo on a terminal; otherwise the first line of standard input. */
async function readPassword(email: string): Promise<string> {
  const onTerminal = process.stdin.isTTY === true;
  if (onTerminal) process.stdout.write(`New password of ${email} (empty: one is generated): `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: onTerminal });
  try {
    for await (const line of reader) return line;
    return '';
  } finally {
    reader.close();
    if (onTerminal) process.stdout.write('\n');
  }
}
