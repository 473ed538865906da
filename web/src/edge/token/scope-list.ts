/** What a token may do, and what each includes; the platform has the same list and refuses others. */
export const SCOPES = [
  'telemetry:write',
  'inference:write',
  'models:read',
  'container:pull',
  'uploads:write',
  'commands:read',
  'config:read',
] as const;
export type Scope = (typeof SCOPES)[number];

export const DEFAULT_SCOPES: readonly Scope[] = [
  'telemetry:write',
  'inference:write',
  'models:read',
  'container:pull',
];

const INCLUDES: Partial<Record<Scope, readonly Scope[]>> = {
  'telemetry:write': ['commands:read', 'config:read'],
  'inference:write': ['uploads:write'],
};

/** The chosen scope that includes another already; null: none does. */
export const includedBy = (scope: Scope, chosen: readonly Scope[]): Scope | null =>
  chosen.find((each) => INCLUDES[each]?.includes(scope)) ?? null;

/** Scopes of a token as this page knows them, in its order. */
export const knownScopes = (given: readonly string[]): Scope[] =>
  SCOPES.filter((scope) => given.includes(scope));

export const isSameScopes = (one: readonly Scope[], other: readonly Scope[]): boolean =>
  one.length === other.length && one.every((scope) => other.includes(scope));
