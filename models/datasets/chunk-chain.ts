import { createHash } from 'node:crypto';

/** The sha256 of chunks together. */
export interface WholeHash {
  readonly sha256: string;
  /** Which chunks were hashed: `chainEtags` of theirs, in order. */
  readonly chain: string;
}

/** Names a sequence of stored chunks in 64 characters, however many they are. @param before the chain of those ahead */
export const chainEtags = (etags: readonly string[], before = ''): string => etags.reduce((chain, etag) => createHash('sha256').update(`${chain}/${etag}`).digest('hex'), before);
