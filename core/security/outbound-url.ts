import { isIP } from 'node:net';

export type OutboundUrl = { readonly url: URL; readonly problem: null } | { readonly url: null; readonly problem: string };

const bad = (problem: string): OutboundUrl => ({ url: null, problem });

const DOTTED = /^\d+\.\d+\.\d+\.\d+$/;
const writtenHost = (text: string): string => /^[a-z]+:[/\\]*(?:[^/\\?#@]*@)?([^/\\?#:]*)/i.exec(text.trim())?.[1] ?? '';

/**
 * An address the platform may be asked to call, as far as its text tells: whom its name leads to is judged when the
 * connection is made. Numbers that only machines read as an address (`2130706433`, `0x7f.1`, `0177.0.0.1`, full-width
 * digits) are refused: nobody writes them by accident.
 */
export function readOutboundUrl(text: string): OutboundUrl {
  const url = URL.parse(text);
  if (url === null) return bad('it is not an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return bad('only https and http are spoken');
  if (url.username !== '' || url.password !== '') return bad('it holds credentials; they belong into the token');
  if (DOTTED.test(url.hostname) && writtenHost(text) !== url.hostname) return bad('its numbers are not written as four decimal parts');
  return { url, problem: null };
}

const HOST_NAME = /^(?:\*\.)?(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/i;

function isAllowEntry(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (bits === undefined) return family !== 0 || (HOST_NAME.test(entry) && !/^[\d.]+$/.test(entry));
  return rest.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** @param text the setting SERVICE_OUTBOUND_ALLOW, parted by commas or blanks @returns what is wrong with it, or null */
export function outboundProblem(text: string): string | null {
  const at = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .findIndex((entry) => !isAllowEntry(entry));
  return at < 0 ? null : `entry ${at + 1} is neither a network such as 10.0.0.0/8 nor an address nor a host name`;
}
