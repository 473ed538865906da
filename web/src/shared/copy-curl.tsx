import { Button, CopyButton } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { text } from '../text';

export interface CurlCall {
  readonly method?: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The page's call as a line for a shell; the token stays a variable, so nothing secret is copied. */
export function CopyCurl({ call }: { call: CurlCall }) {
  const { tenant } = useParams({ strict: false });
  return (
    <CopyButton value={curlLine(call, tenant ?? null, window.location.origin)}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="subtle" onClick={copy}>
          {copied ? text.shared.copied : text.shared.copyCurl}
        </Button>
      )}
    </CopyButton>
  );
}

/** @param origin scheme, host and port of the platform */
export function curlLine(call: CurlCall, tenant: string | null, origin: string): string {
  const query = new URLSearchParams(
    Object.entries(call.query ?? {}).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString();
  const parts = ['curl', '-s'];
  if (call.method !== undefined && call.method !== 'GET') parts.push('-X', call.method);
  parts.push(quoted(`${origin}${call.path}${query === '' ? '' : `?${query}`}`));
  parts.push('-H', '"Authorization: Bearer $TOKEN"');
  if (tenant !== null) parts.push('-H', quoted(`X-Tenant: ${tenant}`));
  if (call.body !== undefined)
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(call.body)));
  return parts.join(' ');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
