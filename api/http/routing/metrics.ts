import { Counter, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  readonly registry: Registry;
  readonly observe: (method: string, route: string, status: number, seconds: number) => void;
}

/** Labels are route patterns and status classes, never paths or tenants: their number is bounded. */
export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'visionops_http_requests_total',
    help: 'Requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'visionops_http_request_seconds',
    help: 'Time from the first byte to the last',
    labelNames: ['route'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  return {
    registry,
    observe(method, route, status, seconds) {
      requests.inc({ method, route, status: String(status) });
      duration.observe({ route }, seconds);
    },
  };
}
