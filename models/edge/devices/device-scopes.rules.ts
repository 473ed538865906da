import { fieldError, unprocessable } from '../../../core/errors/app-error.js';

export const DEVICE_SCOPES = [
  'telemetry:write',
  'inference:write',
  'uploads:write',
  'commands:read',
  'config:read',
  'models:read',
  'container:pull',
] as const;
/** What a device may do with its token. */
export type DeviceScope = (typeof DEVICE_SCOPES)[number];

export const DEFAULT_SCOPES: readonly DeviceScope[] = [
  'telemetry:write',
  'inference:write',
  'container:pull',
  'models:read',
];

/** The default scopes are fixed, and a token with them must be able to work: two of them include others. */
const INCLUDES: Partial<Record<DeviceScope, readonly DeviceScope[]>> = {
  'telemetry:write': ['commands:read', 'config:read'],
  'inference:write': ['uploads:write'],
};

const isScope = (text: string): text is DeviceScope => (DEVICE_SCOPES as readonly string[]).includes(text);

/** Each once, in the order of DEVICE_SCOPES. @throws AppError unprocessable_entity naming an unknown one by its place */
export function requireScopes(given: readonly string[]): DeviceScope[] {
  const unknown = given.findIndex((scope) => !isScope(scope));
  if (unknown >= 0)
    throw unprocessable(
      [fieldError(['body', 'scopes', unknown], `must be one of ${DEVICE_SCOPES.join(', ')}`)],
      `Unknown scope; use ${DEVICE_SCOPES.join(', ')}.`,
    );
  return DEVICE_SCOPES.filter((scope) => given.includes(scope));
}

/** Whether a token with these scopes may do what asks for another. */
export const scopesGrant = (held: readonly DeviceScope[], asked: string): boolean =>
  held.some((scope) => scope === asked || INCLUDES[scope]?.some((each) => each === asked) === true);
