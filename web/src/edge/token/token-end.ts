/** How a device's token stands. */
export type TokenEnd = 'fine' | 'soon' | 'ended' | 'revoked';

const SOON_MS = 14 * 86_400_000;

/** @param iso when it ends; null: it was revoked @param now milliseconds since 1970 */
export function tokenEnd(iso: string | null, now: number): TokenEnd {
  if (iso === null) return 'revoked';
  const left = Date.parse(iso) - now;
  if (left <= 0) return 'ended';
  return left < SOON_MS ? 'soon' : 'fine';
}
