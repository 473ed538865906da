/**
 * Files that end in `.platform.ts` may see or write the rows of every tenant, and the files below, each with what it needs
 * them for: they alone may name `PlatformTransaction`, `inPlatform` or `inPlatformOnce`, those of the accounts (`AuthTransaction`,
 * `inAuth`) and of what devices send (`IngestTransaction`, `inIngest`). Everything else works in the transaction of one tenant.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { PRODUCT } from '../source-folders.mjs';

export const PLATFORM_REPOSITORIES = {
  'models/orm/transaction.ts': 'defines it',
  'models/orm/in-tenant.ts': 'opens it',
  'models/orm/ingest-database.ts': 'opens that of devices',
};

const NAMES =
  /\b(PlatformTransaction|inPlatform|inPlatformOnce|AuthTransaction|inAuth|IngestTransaction|inIngest)\b/;

/** Name and meaning of the rule, in the form of the rules about imports. */
export const PLATFORM_RULE = {
  name: 'platform-access-is-named',
  comment: 'who sees every tenant ends in .platform.ts or stands in PLATFORM_REPOSITORIES',
};

const isUnnamed = (path) => !path.endsWith('.platform.ts') && !(path in PLATFORM_REPOSITORIES);

/** @returns lines `rule: file -> what is wrong`, for files that are not named and for names that are no longer true */
export function platformViolations() {
  const files = PRODUCT.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const found = new Set(
    files.filter((path) => path.endsWith('.ts') && NAMES.test(readFileSync(path, 'utf8'))),
  );
  return [
    ...[...found]
      .filter(isUnnamed)
      .map(
        (path) =>
          `${PLATFORM_RULE.name}: ${path} -> sees every tenant, is no .platform.ts and not on the list`,
      ),
    ...Object.keys(PLATFORM_REPOSITORIES)
      .filter((path) => !found.has(path))
      .map((path) => `${PLATFORM_RULE.name}: ${path} -> is on the list and needs it no longer`),
  ];
}
