import { isIP } from 'node:net';

const DNS = 53;

/** Where programs of workloads connect to. */
export interface Reachable {
  readonly trackerUrl: string;
  /** Address of the object store; presigned addresses may have the bucket in front of its name. */
  readonly storeUrl: string;
}

/** TCP ports that workloads need, ascending. The kernel's rules know ports, not addresses. */
export function reachablePorts({ trackerUrl, storeUrl }: Reachable): number[] {
  const urls = [new URL(trackerUrl), new URL(storeUrl)];
  const ports = urls.map(({ port, protocol }) => Number(port) || (protocol === 'https:' ? 443 : 80));
  // Names are looked up by UDP, and by TCP where the answer is too long for it.
  return [...new Set(urls.some(isName) ? [...ports, DNS] : ports)].sort((a, b) => a - b);
}

const isName = ({ hostname }: URL): boolean =>
  hostname !== 'localhost' && isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
