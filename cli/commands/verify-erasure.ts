import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { type PublicJwk, publicKeys, signatureProblem } from '../../core/security/signed-document.js';
import { type Arguments, UsageError } from '../arguments.js';
import { dataFiles } from '../supervisor/files.js';
import { ensureSecrets } from '../supervisor/secrets.js';

interface Certificate {
  readonly tenant?: { readonly id?: string; readonly code?: string };
  readonly completed_at?: string;
  readonly removed?: Readonly<Record<string, number>>;
}

/** Compares a certificate of erasure with its signature. Exit code 1 when it was changed, or signed by somebody else. */
export function verifyErasure(args: Arguments): number {
  const [file, keysFile] = args.files;
  if (file === undefined) throw new UsageError('verify-erasure needs a file: the certificate, or the whole answer of GET /api/v1/settings/tenants/deletions/{id}.');
  const answer = readJson(file) as { certificate?: unknown };
  const certificate = (answer.certificate ?? answer) as Certificate;
  const keys = keysFile === undefined ? keysOfInstallation(args.dataDir) : ((readJson(keysFile) as { keys?: PublicJwk[] }).keys ?? []);
  const problem = signatureProblem(keys, certificate);
  if (problem !== null) {
    console.log(`NOT VALID  ${problem}`);
    return 1;
  }
  const removed = Object.entries(certificate.removed ?? {}).filter(([, count]) => count > 0);
  console.log(`valid      tenant ${certificate.tenant?.code} (${certificate.tenant?.id}), erased by ${certificate.completed_at}`);
  console.log(`           ${removed.map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`).join(', ')}`);
  return 0;
}

/** The keys of the environment, or of the data directory. */
function keysOfInstallation(dataDir: string): PublicJwk[] {
  const text = process.env.SERVICE_SECRET_KEYS ?? (existsSync(dataFiles(dataDir).secrets) ? ensureSecrets(dataDir).secretKeys : null);
  if (text === null) throw new UsageError(`There is no platform in ${dataDir}: name a file with the keys of GET /.well-known/visionops-certificate-keys after the certificate.`);
  return publicKeys(parseKeyRing(text));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
