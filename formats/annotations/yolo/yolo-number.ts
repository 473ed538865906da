/** No tool writes longer ones. */
const MAX_CHARACTERS = 64;
const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i;

/** A number as label files write it: not everything `Number` takes, as '' and '0x1'. */
export const isNumber = (word: string): boolean => word.length <= MAX_CHARACTERS && NUMBER.test(word);

/** Some tools write classes as `3.0`. */
export const isClassNumber = (word: string): boolean =>
  word.length <= MAX_CHARACTERS && /^\d{1,6}(\.0*)?$/.test(word);
