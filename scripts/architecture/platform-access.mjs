/**
 * Who may see the rows of every tenant: files that end in `.platform.ts`, and the few that are named below with what they
 * need it for. Everything else works in the transaction of one tenant. Three things open the way: the transactions that see
 * all tenants, those of the accounts and of what devices send; `Transaction`, which takes any of them for one; and a
 * connection past the roles of the pools, such as the owner's, for which no policy holds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { PRODUCT } from '../source-folders.mjs';

const isPlatform = (path) => path.endsWith('.platform.ts');

const WAYS = [
  {
    finds: (code) =>
      /\b(PlatformTransaction|inPlatform|inPlatformOnce|AuthTransaction|inAuth|IngestTransaction|inIngest)\b|\.transact\(/.test(
        code,
      ),
    says: 'sees every tenant, is no .platform.ts and not on the list',
    mayBe: isPlatform,
    named: {
      'models/orm/transaction.ts': 'defines it',
      'models/orm/in-tenant.ts': 'opens it',
      'models/orm/ingest-database.ts': 'opens that of devices',
    },
  },
  {
    finds: (code) =>
      /import (?:type )?\{[^}]*(?<=[{,\s])(?:type )?Transaction\s*[,}][^;]*orm\/transaction\.js'/.test(code),
    says: 'takes any transaction for one; say whose rows it sees',
    mayBe: (path) => isPlatform(path) || path.endsWith('.sql.ts') || path.startsWith('models/orm/'),
    named: {
      'models/audit/audit.commands.ts': 'adds an entry of a tenant or of the platform',
      'models/outbox/dispatch.ts': 'adds entries of a tenant or of the platform',
      'models/outbox/activity-effect.ts': 'adds a key of an activity, of a tenant or of the platform',
      'activities/support/activity-context.ts': 'passes it on to that',
      'models/notifications/notify.commands.ts': 'adds requests of a tenant or of the platform',
      'models/notifications/notification-lock.ts': 'takes a lock, reads no row',
      'models/access/auth-change.ts': 'sends a NOTIFY, reads no row',
      'models/accounts/folded-address.ts': 'asks for the spelling of a text, reads no row',
    },
  },
  {
    finds: (code) => /\b(DirectConnection|directConnection|DirectPool|directPool)\b/.test(code),
    says: 'takes a connection for which no policy holds',
    mayBe: (path) => path.startsWith('models/orm/'),
    named: {
      'models/objects/removal-pause.sql.ts': 'holds a lock for as long as a backup lasts, reads no row',
      'models/backup/copied-rows.sql.ts': 'copies whole tables',
      'models/backup/stored-tables.sql.ts': 'reads the catalogue',
      'models/backup/named-objects.sql.ts': 'lists the objects that a backup needs',
      'models/backup/needed-keys.sql.ts': 'lists the keys that a backup needs',
      'cli/backup/dump-database.ts': 'writes a backup',
      'cli/backup/empty-target.ts': 'empties what a backup is loaded into',
      'cli/backup/load-database.ts': 'loads a backup',
      'cli/commands/backup.ts': "opens the owner's connection",
      'cli/commands/restore.ts': "opens the owner's connection",
    },
  },
];

/** Name and meaning of the rule, in the form of the rules about imports. */
export const PLATFORM_RULE = {
  name: 'platform-access-is-named',
  comment: 'who sees every tenant ends in .platform.ts or is named in platform-access.mjs',
};

/** @returns lines `rule: file -> what is wrong`, for files that are not named and for names that are no longer true */
export function platformViolations() {
  const files = PRODUCT.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  ).filter((path) => path.endsWith('.ts'));
  const texts = files.map((path) => [path, readFileSync(path, 'utf8')]);
  const lines = WAYS.flatMap(({ finds, says, mayBe, named }) => {
    const found = new Set(texts.filter(([, code]) => finds(code)).map(([path]) => path));
    const unnamed = [...found].filter((path) => !mayBe(path) && !(path in named));
    const needless = Object.keys(named).filter((path) => !found.has(path));
    return [
      ...unnamed.map((path) => `${path} -> ${says}`),
      ...needless.map((path) => `${path} -> is on the list and needs it no longer`),
    ];
  });
  return lines.map((line) => `${PLATFORM_RULE.name}: ${line}`);
}
