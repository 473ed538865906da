const MAX_KEY_LENGTH = 128;
/** Room for `-` and a number that makes the id unique. */
const MAX_STEM_LENGTH = 118;

/**
 * An id made from a name: `Küche 2 (Nacht)` becomes `kuche-2-nacht`. Always a valid dataset id.
 * @param kind what is named: stands where the name gives no letter or digit of ASCII
 */
export function keyFromName(name: string, kind: 'dataset' | 'source' = 'dataset'): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const stem = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_STEM_LENGTH)
    .replace(/-+$/, '');
  return stem === '' || stem === 'drafts' ? `${kind}${stem === '' ? '' : `-${stem}`}` : stem;
}

/** The n-th try for a unique id: the stem itself, then `stem-2`, `stem-3`, ... */
export const numberedKey = (stem: string, n: number): string =>
  n <= 1 ? stem : `${stem}-${n}`.slice(0, MAX_KEY_LENGTH);
