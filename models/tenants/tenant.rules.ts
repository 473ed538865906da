import { type FieldError, fieldError, unprocessable } from '../../core/errors/app-error.js';
import { FEATURES } from '../features/feature-catalog.js';

const TENANT_CODE = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
/** Names of namespaces that the platform keeps for itself. */
const RESERVED_CODES: ReadonlySet<string> = new Set(['shared', 'system', 'library', 'platform']);

export const RETENTION_KEYS = ['telemetry', 'inference', 'logs', 'audit', 'uploads'] as const;

/** A settings object as JSON text, in UTF-8. */
const MAX_OBJECT_BYTES = 65_536;
const MAX_DAYS = 36_500;

export interface TenantSettings {
  readonly kpiTargets?: Readonly<Record<string, unknown>>;
  readonly retention?: Readonly<Record<string, unknown>>;
  readonly features?: Readonly<Record<string, unknown>>;
  readonly sharedDefaults?: readonly unknown[];
}

/** @returns why the code cannot be a tenant's, or null when it can */
export function tenantCodeProblem(code: string): string | null {
  if (!TENANT_CODE.test(code)) return 'must be 1 to 40 characters of a-z, 0-9 and -, without - at either end';
  if (RESERVED_CODES.has(code)) return 'is reserved; choose another code';
  return null;
}

/**
 * Known keys must have their meaning's type; unknown keys are kept, so that a richer shape stays compatible.
 * @throws AppError unprocessable_entity naming every bad entry
 */
export function checkTenantSettings(settings: TenantSettings): void {
  const problems = [
    ...sizeProblems(settings),
    ...entryProblems(
      'kpi_targets',
      settings.kpiTargets,
      Object.keys(settings.kpiTargets ?? {}),
      isFiniteNumber,
      'must be a number',
    ),
    ...entryProblems(
      'retention',
      settings.retention,
      RETENTION_KEYS,
      isDays,
      `must be a whole number of days from 1 to ${MAX_DAYS}, or null for no limit`,
    ),
    ...entryProblems(
      'features',
      settings.features,
      FEATURES.map((feature) => feature.key),
      (value) => typeof value === 'boolean',
      'must be true or false',
    ),
  ];
  if (problems.length > 0) throw unprocessable(problems);
}

function sizeProblems(settings: TenantSettings): FieldError[] {
  const parts = {
    kpi_targets: settings.kpiTargets,
    retention: settings.retention,
    features: settings.features,
    shared_defaults: settings.sharedDefaults,
  };
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined && Buffer.byteLength(JSON.stringify(value)) > MAX_OBJECT_BYTES)
    .map(([name]) => fieldError(['body', name], `must not exceed ${MAX_OBJECT_BYTES} bytes as JSON`));
}

function entryProblems(
  name: string,
  object: Readonly<Record<string, unknown>> | undefined,
  keys: readonly string[],
  isGood: (value: unknown) => boolean,
  message: string,
): FieldError[] {
  if (object === undefined) return [];
  return keys
    .filter((key) => Object.hasOwn(object, key) && !isGood(object[key]))
    .map((key) => fieldError(['body', name, key], message));
}

const isFiniteNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isDays = (value: unknown): boolean =>
  value === null || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DAYS);
