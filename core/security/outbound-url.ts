import { isIP } from 'node:net';

export type OutboundUrl =
  | { readonly url: URL; readonly problem: null }
  | { readonly url: null; readonly problem: string };

const bad = (problem: string): OutboundUrl => ({ url: null, problem });

const DOTTED = /^\d+\.\d+\.\d+\.\d+$/;
const writtenHost = (text: string): string =>
  /^[a-z]+:[/\\]*(?:[^/\\?#@]*@)?([^/\\?#:]*)/i.exec(text.trim())?.[1] ?? '';

/**
 * An address the platform may be asked to call, as far as its text shows: whom its name leads to is judged when the
 * connection is made. Numbers that only machines read as an address (`2130706433`, `0x7f.1`, `0177.0.0.1`, full-width
 * digits) are refused: nobody writes them by accident.
 */
export function readOutboundUrl(text: string): OutboundUrl {
  const url = URL.parse(text);
  if (url === null) return bad('it is not an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return bad('only https:// and http:// addresses can be called');
  if (url.username !== '' || url.password !== '')
    return bad('it holds credentials; they belong into the token');
  if (DOTTED.test(url.hostname) && writtenHost(text) !== url.hostname)
    return bad('its numbers are not written as four decimal parts');
  return { url, problem: null };
}

const HOST_NAME =
  /^(?:\*\.)?(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/i;

export interface AllowEntry {
  /** A network, an address or a host name. */
  readonly target: string;
  /** Null: every port. */
  readonly port: number | null;
}

/** Entries of the setting SERVICE_OUTBOUND_ALLOW, parted by commas or blanks; `target:port`, IPv6 then in brackets. Says nothing of their form. */
export const allowEntries = (text: string): AllowEntry[] =>
  text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, six, four = six, port] = /^(?:\[([^\]]*:[^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(entry) ?? [];
      return four === undefined ? { target: entry, port: null } : { target: four, port: Number(port) };
    });

function isAllowEntry({ target, port }: AllowEntry): boolean {
  if (port !== null && (port < 1 || port > 65_535)) return false;
  const [address = '', bits, ...rest] = target.split('/');
  const family = isIP(address);
  if (bits === undefined) return family !== 0 || (HOST_NAME.test(target) && !/^[\d.]+$/.test(target));
  return (
    rest.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
  );
}

/** @param text the setting SERVICE_OUTBOUND_ALLOW, parted by commas or blanks @returns what is wrong with it, or null */
export function outboundProblem(text: string): string | null {
  const at = allowEntries(text).findIndex((entry) => !isAllowEntry(entry));
  return at < 0
    ? null
    : `entry ${at + 1} is neither a network such as 10.0.0.0/8 nor an address nor a host name, nor one of these with a port (data.intern:8443)`;
}
