/** What a load balancer asks the public port, every second or so. */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);
