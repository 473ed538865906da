/** What the proxy lets through, in both directions. Pure. */
export type ProxyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The most that the body of an invocation may have. */
export const MAX_INVOCATION_BYTES = 32 * 2 ** 20;

const PATHS: Readonly<Record<string, ReadonlySet<string>>> = {
  GET: new Set(['ping', 'health', 'version']),
  POST: new Set(['invocations']),
};

/** True only for the exact words of these paths; `path` is decoded, so neither escapes nor dots nor slashes get further. */
export const mayProxy = (method: string, path: string): boolean =>
  PATHS[method === 'HEAD' ? 'GET' : method]?.has(path) ?? false;

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];
/** Who the caller is, and what the platform says of it: not the model's business. */
const OF_THE_CALLER = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'cookie',
  'x-tenant',
  'x-edge-token',
  'x-webhook-token',
  'forwarded',
  'host',
  'origin',
  'referer',
  'expect',
  'content-length',
]);
/** A model answers bytes; it sets no cookies and no rules for the platform's own pages. */
const OF_THE_MODEL = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  'authorization',
  'www-authenticate',
  'x-tenant',
  'x-request-id',
  'content-security-policy',
  'content-security-policy-report-only',
  'strict-transport-security',
  'clear-site-data',
  'refresh',
  'location',
  'alt-svc',
  'server',
  'nel',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'sourcemap',
  'link',
]);

export const requestHeaders = (headers: ProxyHeaders): Record<string, string | string[]> =>
  without(
    headers,
    (name) => OF_THE_CALLER.has(name) || name.startsWith('x-forwarded-') || name.startsWith('sec-'),
  );

export const responseHeaders = (headers: ProxyHeaders): Record<string, string | string[]> =>
  without(
    headers,
    (name) =>
      OF_THE_MODEL.has(name) || name.startsWith('access-control-') || name.startsWith('cross-origin-'),
  );

function without(
  headers: ProxyHeaders,
  isStripped: (name: string) => boolean,
): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((word) => word.trim()),
  );
  const kept: Record<string, string | string[]> = {};
  for (const [key, value] of Object.entries(headers)) {
    const name = key.toLowerCase();
    if (value === undefined || isStripped(name) || named.has(name)) continue;
    kept[name] = typeof value === 'string' ? value : [...value];
  }
  return kept;
}
