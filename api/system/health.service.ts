import { runHealthCheck } from '../../core/health/run-health-check.js';
import type { HealthCheck } from '../../core/ports/health-check.js';
import type { ComponentHealthOut, ConfigurationFindingOut, SystemHealthOut } from './health.schemas.js';

export interface HealthParts {
  readonly version: string;
  /** Loads what the checks need; it does not count as theirs. */
  readonly prepare: () => Promise<unknown>;
  readonly checks: readonly HealthCheck[];
  readonly configuration: () => Promise<ConfigurationFindingOut[]>;
}

/** Looks at every component at once, each for at most two seconds. */
export class SystemHealthService {
  constructor(private readonly parts: HealthParts) {}

  async diagnose(): Promise<SystemHealthOut> {
    await this.parts.prepare();
    const [components, configuration] = await Promise.all([
      Promise.all(this.parts.checks.map(look)),
      this.parts.configuration(),
    ]);
    return {
      status: overall(components),
      version: this.parts.version,
      checked_at: new Date().toISOString(),
      components,
      configuration,
    };
  }
}

function overall(components: readonly ComponentHealthOut[]): SystemHealthOut['status'] {
  if (components.some(({ name, status }) => name === 'database' && status === 'down')) return 'down';
  return components.every(({ status }) => status === 'ok') ? 'ok' : 'degraded';
}

async function look(check: HealthCheck): Promise<ComponentHealthOut> {
  const startedAt = performance.now();
  const { status, message } = await runHealthCheck(check);
  return {
    name: check.name,
    status,
    latency_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    message,
    hint: status === 'ok' ? null : check.hint,
  };
}
