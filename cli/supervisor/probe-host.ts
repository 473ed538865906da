const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where a program of this machine reaches a service that listens on this address, as it stands in a URL. */
export function probeHost(listensOn: string | undefined): string {
  const host = listensOn || '127.0.0.1';
  return EVERYWHERE[host] ?? (host.includes(':') ? `[${host}]` : host);
}
