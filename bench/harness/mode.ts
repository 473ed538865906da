/** `--short`: fewer pairs and smaller sizes, to see that a benchmark runs; its figures say little. */
export const isShort = process.argv.includes('--short');

export const longOrShort = <T>(long: T, short: T): T => (isShort ? short : long);
