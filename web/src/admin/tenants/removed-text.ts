import { bytes, count } from '../../shared/numbers.js';

const TABLE = 'table:';
/** More kinds than this are only counted. */
const SHOWN = 5;

/** What a step removed, the most first: `1,204 dataset_file, 12 dataset, 3 kinds more`. Nothing where it removed nothing. */
export function removedText(counts: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(counts)
    .filter(([, amount]) => amount > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, amount]) => (kind === 'bytes' ? bytes(amount) : `${count(amount)} ${kindText(kind)}`));
  const rest = kinds.length - SHOWN;
  return [...kinds.slice(0, SHOWN), ...(rest > 0 ? [`${rest} kinds more`] : [])].join(', ');
}

const kindText = (kind: string): string =>
  kind.startsWith(TABLE) ? kind.slice(TABLE.length) : kind.replaceAll('_', ' ');
