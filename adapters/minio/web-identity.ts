import { readFile } from 'node:fs/promises';
import { unavailable } from '../../core/errors/app-error.js';
import type { StoreKeys } from '../library-patches/store-credentials.js';

const DEADLINE_MS = 10_000;

export interface WebIdentity {
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly endpoint: string;
}

/**
 * Temporary keys of a role for a web identity token (STS AssumeRoleWithWebIdentity). The provider of the S3 client knows
 * Amazon's address alone, puts the token into an address, and takes a refusal for keys.
 * @throws AppError service_unavailable
 */
export async function assumeRole({ roleArn, tokenFile, endpoint }: WebIdentity): Promise<StoreKeys> {
  try {
    const answer = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: roleArn,
        RoleSessionName: 'visionops',
        WebIdentityToken: (await readFile(tokenFile, 'utf8')).trim(),
      }),
      signal: AbortSignal.timeout(DEADLINE_MS),
      redirect: 'error',
    });
    const text = await answer.text();
    const field = (name: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(text)?.[1] ?? '';
    if (!answer.ok) throw new Error(`it answered ${answer.status} ${field('Code')}`);
    const expiresAt = new Date(field('Expiration'));
    if (field('AccessKeyId') === '' || Number.isNaN(expiresAt.getTime()))
      throw new Error('its answer holds no keys');
    return {
      ...{ accessKey: field('AccessKeyId'), secretKey: field('SecretAccessKey') },
      ...{ sessionToken: field('SessionToken'), expiresAt },
    };
  } catch (error) {
    throw unavailable(
      `The security token service gave no keys for the object store: ${(error as Error).message}`,
      error,
    );
  }
}
