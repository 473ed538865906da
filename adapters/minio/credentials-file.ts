import { readFile } from 'node:fs/promises';
import { unavailable } from '../../core/errors/app-error.js';
import type { StoreKeys } from '../library-patches/store-credentials.js';

/** Lifetime assumed for keys of the file, which is then read again: the writer of temporary keys replaces them in time. */
const READ_AGAIN_MS = 15 * 60_000;

/** Keys of a profile in a credentials file as AWS tools write it. @throws AppError service_unavailable */
export async function keysOfFile(path: string, profile: string): Promise<StoreKeys> {
  const found = profileOf(await read(path), profile);
  const [accessKey, secretKey] = [found.get('aws_access_key_id'), found.get('aws_secret_access_key')];
  if (!accessKey || !secretKey)
    throw unavailable(
      `AWS_SHARED_CREDENTIALS_FILE: the file has no aws_access_key_id and aws_secret_access_key of profile ${profile}.`,
    );
  const sessionToken = found.get('aws_session_token');
  return {
    ...{ accessKey, secretKey },
    ...(sessionToken
      ? { sessionToken, expiresAt: new Date(Date.now() + READ_AGAIN_MS) }
      : { expiresAt: null }),
  };
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw unavailable(`AWS_SHARED_CREDENTIALS_FILE: the file cannot be read (${reason}).`, error);
  }
}

function profileOf(text: string, profile: string): Map<string, string> {
  const found = new Map<string, string>();
  let isIn = false;
  for (const line of text.split(/\r?\n/).map((raw) => raw.trim())) {
    if (line.startsWith('[')) isIn = line.slice(1, line.indexOf(']')).trim() === profile;
    else if (isIn && !/^[#;]/.test(line) && line.includes('='))
      found.set(line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim());
  }
  return found;
}
