import { randomInt } from 'node:crypto';

const WORDS = [
  'amber',
  'brisk',
  'calm',
  'clear',
  'eager',
  'fair',
  'keen',
  'lucid',
  'mellow',
  'swift',
] as const;
const THINGS = [
  'falcon',
  'harbor',
  'lens',
  'maple',
  'meadow',
  'otter',
  'pixel',
  'prism',
  'raven',
  'wren',
] as const;

const oneOf = (words: readonly string[]): string => words[randomInt(words.length)] as string;

/** For a run that its client did not name. */
export const randomRunName = (): string => `${oneOf(WORDS)}-${oneOf(THINGS)}-${randomInt(1000)}`;
