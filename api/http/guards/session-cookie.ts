export const SESSION_COOKIE = 'svcauth';

export interface CookieOptions {
  readonly secure: boolean;
  /** 0: a session without expiry, and no Max-Age. */
  readonly lifetimeS: number;
}

const attributes = (options: CookieOptions): string =>
  `; Path=/; HttpOnly; SameSite=Lax${options.secure ? '; Secure' : ''}`;

export const sessionCookie = (token: string, options: CookieOptions): string =>
  `${SESSION_COOKIE}=${token}${attributes(options)}${options.lifetimeS > 0 ? `; Max-Age=${options.lifetimeS}` : ''}`;

export const clearedSessionCookie = (options: CookieOptions): string =>
  `${SESSION_COOKIE}=""${attributes(options)}; Max-Age=0`;

/** The token of the session cookie, or null. Only our own alphabet is accepted. */
export function readSessionCookie(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (!header.includes(`${SESSION_COOKIE}=`)) return null;
  const pair = header.split(';').find((part) => part.trim().startsWith(`${SESSION_COOKIE}=`));
  const value = pair?.trim().slice(SESSION_COOKIE.length + 1) ?? '';
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null;
}
