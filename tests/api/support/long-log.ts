import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLogPart } from '../../../adapters/process/log-reader.js';

/** Lines of 100 bytes, with characters of one to four bytes. */
export const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `${`Epoch ${from + at} ß 漢 🙂`.padEnd(90, '.')}\n`).join('');

/** A log that the test writes, in its folder as that of a workload. */
export const printedLog = (folder: string) => ({
  print: (text: string): void => writeFileSync(join(folder, `${'0'.repeat(20)}.log`), text, { flag: 'a' }),
  read: async (offset: number, maxBytes: number) => {
    const { isAtEnd: eof, ...part } = await readLogPart(folder, offset, maxBytes, true);
    return { ...part, eof };
  },
});
