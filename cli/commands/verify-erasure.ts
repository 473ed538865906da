import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { type PublicJwk, publicKeys, signatureProblem } from '../../core/security/signed-document.js';
import { type Arguments, UsageError } from '../arguments.js';
import { dataFiles } from '../supervisor/files.js';
import { ensureSecrets } from '../supervisor/secrets.js';

interface Certificate {
  readonly deletion_id?: string;
  readonly tenant?: { readonly id?: string; readonly code?: string };
  readonly completed_at?: string;
  readonly removed?: Readonly<Record<string, number>>;
}

/** Answer of GET /api/v1/settings/tenants/deletions/{id}; its certificate alone is signed. */
interface Answer {
  readonly id?: unknown;
  readonly tenant_id?: unknown;
  readonly tenant_code?: unknown;
  readonly certificate?: unknown;
}

/**
 * Compares a certificate of erasure with its signature, and the ids of an answer around it with those it names. Exit code 1 when it was changed,
 * signed by somebody else, or stands in the answer about another deletion.
 */
export function verifyErasure(args: Arguments): number {
  const [file, keysFile] = args.files;
  if (file === undefined)
    throw new UsageError(
      'verify-erasure needs a file: the certificate, or the whole answer of GET /api/v1/settings/tenants/deletions/{id}.',
    );
  const answer = readJson(file) as Answer;
  const certificate = (answer.certificate ?? answer) as Certificate;
  const keys =
    keysFile === undefined
      ? keysOfInstallation(args.dataDir)
      : ((readJson(keysFile) as { keys?: PublicJwk[] }).keys ?? []);
  const problem =
    signatureProblem(keys, certificate) ?? (answer.certificate ? problemAround(answer, certificate) : null);
  if (problem !== null) {
    console.log(`NOT VALID  ${problem}`);
    return 1;
  }
  const removed = Object.entries(certificate.removed ?? {}).filter(([, count]) => count > 0);
  console.log(
    `valid      tenant ${certificate.tenant?.code} (${certificate.tenant?.id}), erased by ${certificate.completed_at}`,
  );
  console.log(
    `           ${removed.map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`).join(', ')}`,
  );
  console.log('           the signature covers the certificate alone, not what an answer says around it');
  return 0;
}

/** @returns which id of the answer is not the one that was signed, or null */
function problemAround(answer: Answer, certificate: Certificate): string | null {
  const signed = {
    id: certificate.deletion_id,
    tenant_id: certificate.tenant?.id,
    tenant_code: certificate.tenant?.code,
  };
  const field = (Object.keys(signed) as (keyof typeof signed)[]).find(
    (name) => answer[name] !== undefined && answer[name] !== signed[name],
  );
  return field === undefined
    ? null
    : `The certificate is genuine, but ${field} of the answer around it is another than the signed one.`;
}

/** The keys of the environment, or of the data directory. */
function keysOfInstallation(dataDir: string): PublicJwk[] {
  const text =
    process.env.SERVICE_SECRET_KEYS ??
    (existsSync(dataFiles(dataDir).secrets) ? ensureSecrets(dataDir).secretKeys : null);
  if (text === null)
    throw new UsageError(
      `There is no platform in ${dataDir}: name a file with the keys of GET /.well-known/visionops-certificate-keys after the certificate.`,
    );
  return publicKeys(parseKeyRing(text));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(file), 'utf8'));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}
