import { badRequest } from '../../../core/errors/app-error.js';
import type { KeyValue } from './key-value.types.js';

const MAX_KEY = 250;
const MAX_TAG = 100_000;
const MAX_ALIAS = 255;
/** Letters and digits of every language, as in tags of runs. */
const KEY = /^[/\p{L}\p{M}\p{N}_.\- :]*$/u;
const ALIAS = /^[\p{L}\p{M}\p{N}_-]*$/u;

/** @throws AppError bad_request for a tag that cannot be kept */
export function assertTag({ key, value }: KeyValue): void {
  if (key === '' || key.length > MAX_KEY || !KEY.test(key))
    throw badRequest(`A tag's key has 1 to ${MAX_KEY} letters, digits, "_", "-", ".", ":", spaces or "/".`);
  if (value.length > MAX_TAG) throw badRequest(`The value of a tag has at most ${MAX_TAG} characters.`);
}

/** `v1` and `latest` would read as versions. @throws AppError bad_request */
export function assertAlias(alias: string): void {
  if (alias === '' || alias.length > MAX_ALIAS || !ALIAS.test(alias))
    throw badRequest(`An alias has 1 to ${MAX_ALIAS} letters, digits, "_" or "-".`);
  if (/^v\d+$/i.test(alias) || alias.toLowerCase() === 'latest')
    throw badRequest(`The alias ${JSON.stringify(alias)} is reserved: it would read as a version.`);
}
