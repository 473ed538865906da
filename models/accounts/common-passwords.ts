import { dictionary } from '@zxcvbn-ts/language-common';

const BLOCK_LIST_SIZE = 10_000;

/** The most frequent passwords of at least eight characters; shorter ones are refused by length anyway. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((text) => text.length >= 8).slice(0, BLOCK_LIST_SIZE),
);
