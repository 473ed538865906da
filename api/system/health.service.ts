import type { HealthCheck, HealthFinding } from '../../core/ports/health-check.js';
import type { ComponentHealthOut, ConfigurationFindingOut, SystemHealthOut } from './health.schemas.js';

const DEADLINE_MS = 2000;

export interface HealthParts {
  readonly version: string;
  readonly checks: readonly HealthCheck[];
  readonly configuration: () => Promise<ConfigurationFindingOut[]>;
}

/** Looks at every component at once, each for at most two seconds. */
export class SystemHealthService {
  constructor(private readonly parts: HealthParts) {}

  async diagnose(): Promise<SystemHealthOut> {
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
  const { status, message } = await findingOf(check);
  return {
    name: check.name,
    status,
    latency_ms: Math.round((performance.now() - startedAt) * 10) / 10,
    message,
    hint: status === 'ok' ? null : check.hint,
  };
}

async function findingOf(check: HealthCheck): Promise<HealthFinding> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HealthFinding>((resolve) => {
    timer = setTimeout(() => {
      abort.abort();
      resolve({ status: 'down', message: `No answer within ${DEADLINE_MS / 1000} s.` });
    }, DEADLINE_MS);
  });
  try {
    return await Promise.race([check.run(abort.signal), late]);
  } catch (error) {
    return { status: 'down', message: error instanceof Error ? error.message : 'It failed.' };
  } finally {
    clearTimeout(timer);
  }
}
