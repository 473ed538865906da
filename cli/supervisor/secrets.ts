import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hint } from '../terminal/hint.js';
import { damagedFile, dataFiles, readJson, writeJson } from './files.js';

const secretsSchema = z.object({
  database: z.object({
    owner: z.string(),
    app: z.string(),
    platform: z.string(),
    auth: z.string(),
    ingest: z.string(),
  }),
  s3: z.object({ accessKey: z.string(), secretKey: z.string(), internalKey: z.string() }),
  secretKeys: z.string(),
  webhookToken: z.string(),
});

const firstReleaseSchema = secretsSchema.extend({
  database: secretsSchema.shape.database.partial({ auth: true }),
});

export type Secrets = z.infer<typeof secretsSchema>;

const token = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** The secrets of this data directory, made at its first start and never changed by a later one, which may add some. */
export function ensureSecrets(dataDir: string): Secrets {
  const file = dataFiles(dataDir).secrets;
  const without = withoutSecrets(dataDir);
  const stored = readJson(file, without);
  if (stored !== null) return completed(file, stored, without);
  const made: Secrets = {
    database: {
      owner: token(24),
      app: token(24),
      platform: token(24),
      auth: token(24),
      ingest: token(24),
    },
    s3: { accessKey: `vo${randomBytes(9).toString('hex')}`, secretKey: token(30), internalKey: token(32) },
    secretKeys: `k1:${randomBytes(32).toString('base64')}`,
    webhookToken: token(24),
  };
  writeJson(file, made);
  return made;
}

const withoutSecrets = (dataDir: string): string =>
  ` Without it the data in ${dataDir} is lost, since its passwords and keys are in that file: "${hint('reset --yes', dataDir)}" removes the data, then a start or a restore begins anew.`;

/** Data directories of the first release have no login for `visionops_auth`. */
function completed(file: string, stored: unknown, without: string): Secrets {
  const parsed = firstReleaseSchema.safeParse(stored);
  if (!parsed.success) throw damagedFile(file, without);
  const { database, ...rest } = parsed.data;
  const secrets = secretsSchema.parse({ ...rest, database: { auth: token(24), ...database } });
  if (database.auth === undefined) writeJson(file, secrets);
  return secrets;
}

/** For a data directory that goes on with what another installation has sealed. */
export const replaceSecretKeys = (dataDir: string, secretKeys: string): void =>
  writeJson(dataFiles(dataDir).secrets, { ...ensureSecrets(dataDir), secretKeys });

/** Read aloud without mistakes: no letters that look alike. About 95 bits. */
export function generatePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  const letters = [...randomBytes(64)]
    .filter((byte) => byte < alphabet.length * 8)
    .slice(0, 20)
    .map((byte) => alphabet[byte % alphabet.length]);
  return (letters.join('').match(/.{5}/g) as string[]).join('-');
}
