const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const SPAN = /^([1-9]\d{0,4})([mhd])$/;

/**
 * A span of time as an integer with `m`, `h` or `d`, such as `15m`.
 * @returns milliseconds, or null for anything else
 */
export function parseSpan(text: string): number | null {
  const [, count, unit] = SPAN.exec(text) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
