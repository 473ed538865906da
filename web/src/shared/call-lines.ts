export interface CurlCall {
  readonly method?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A call as a line for a shell; the token stays a variable. @param origin scheme, host and port of the platform */
export function curlLine(call: CurlCall, tenant: string | null, origin: string): string {
  const parts = ['curl', '-s'];
  if (methodOf(call) !== 'GET') parts.push('-X', methodOf(call));
  parts.push(quoted(addressOf(call, origin)));
  parts.push('-H', '"Authorization: Bearer $TOKEN"');
  if (tenant !== null) parts.push('-H', quoted(`X-Tenant: ${tenant}`));
  if (call.body !== undefined)
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(call.body)));
  return parts.join(' ');
}

/** The same for Python with `requests`. */
export function pythonLines(call: CurlCall, tenant: string | null, origin: string): string {
  const headers = ['"Authorization": f"Bearer {os.environ[\'TOKEN\']}"'];
  if (tenant !== null) headers.push(`"X-Tenant": ${literal(tenant)}`);
  return [
    'import os',
    'import requests',
    '',
    `answer = requests.${methodOf(call).toLowerCase()}(`,
    `    ${literal(addressOf(call, origin))},`,
    `    headers={${headers.join(', ')}},`,
    ...(call.body === undefined ? [] : [`    json=${literal(call.body)},`]),
    ')',
    'answer.raise_for_status()',
    'print(answer.json())',
  ].join('\n');
}

const methodOf = ({ method = 'GET' }: CurlCall): string => method;

function addressOf({ path, query = {} }: CurlCall, origin: string): string {
  const words = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString();
  return `${origin}${path}${words === '' ? '' : `?${words}`}`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A value of JSON as Python writes it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    return `{${entries.map(([name, part]) => `${literal(name)}: ${literal(part)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}
