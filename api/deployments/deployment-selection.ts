import { fieldError, MAX_FIELD_ERRORS, unprocessable } from '../../core/errors/app-error.js';
import { unknownKeys } from '../../core/errors/unknown-keys.js';
import type { DeploymentCreate } from './deployments.schemas.js';

const TARGET_KEYS = ['ids', 'location', 'os', 'current_version'];
const KEYS = [
  ...['model_name', 'version', 'target_device_id', 'targets', 'strategy', 'image', 'previous_version'],
  ...['groups', 'window', 'rollback_on'],
];

/**
 * Without a device and targets a deployment is for all devices: a misspelt key must not lead there.
 * @throws AppError unprocessable_entity that names unknown keys with the nearest known one, and targets that select nothing
 */
export function assertSelection(body: DeploymentCreate): void {
  const { targets } = body;
  const problems = [
    ...unknownKeys(body, KEYS, ['body'], MAX_FIELD_ERRORS),
    ...(targets ? unknownKeys(targets, TARGET_KEYS, ['body', 'targets'], MAX_FIELD_ERRORS) : []),
  ];
  if (targets && problems.length === 0 && TARGET_KEYS.every((key) => (targets[key] ?? '') === ''))
    problems.push(
      fieldError(
        ['body', 'targets'],
        'selects nothing: give ids, location, os or current_version, or leave targets out for all devices',
      ),
    );
  if (problems.length > 0) throw unprocessable(problems);
}
