/** 97.5 % of a normal distribution lie below. */
const Z = 1.959963984540054;

/** Wilson's score interval of a share, at 95 %; null without a sample. */
export function wilsonInterval(hits: number, samples: number): { low: number; high: number } | null {
  if (samples === 0) return null;
  const share = hits / samples;
  const scale = 1 + Z ** 2 / samples;
  const middle = (share + Z ** 2 / (2 * samples)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / samples + Z ** 2 / (4 * samples ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
