import { isIP } from 'node:net';

/** Nobody's word is taken: every request comes from the address of its connection. */
const NONE = 'none';
/** As Express knows them. */
const NAMED = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** The proxies that the setting SERVICE_TRUST_PROXY names. */
export const trustedProxies = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && entry !== NONE);

/** @returns what is wrong with the setting, or null */
export function trustedProxiesProblem(text: string): string | null {
  const at = trustedProxies(text).findIndex((entry) => !NAMED.has(entry) && !isNetwork(entry));
  return at < 0
    ? null
    : `entry ${at + 1} is neither an address nor a network such as 10.0.0.0/8, nor one of ${NONE}, ${[...NAMED].join(', ')}`;
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return (
    bits === undefined ||
    (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128))
  );
}
