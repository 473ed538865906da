import { type FieldErrors, type TsoaRoute, ValidationService } from '@tsoa/runtime';
import { MAX_FIELD_ERRORS } from '../../../core/errors/app-error.js';

const validate = ValidationService.prototype.ValidateParam;

/** Inputs of which enough is known. */
const given = new WeakSet<FieldErrors>();

function isFull(found: FieldErrors): boolean {
  if (given.has(found)) return true;
  if (Object.keys(found).length < MAX_FIELD_ERRORS) return false;
  given.add(found);
  return true;
}

/**
 * tsoa looks at every item of a list before it asks how many there may be, and counts all findings anew for every object:
 * a body of 1 MB would take minutes. Asks for the length first, and stops at MAX_FIELD_ERRORS findings, which makes the
 * time linear. On the prototype, since tsoa makes validators of its own for intersections. Repeating it changes nothing.
 */
export function boundValidation(): void {
  ValidationService.prototype.ValidateParam = bounded;
}

const bounded: typeof validate = function (
  this: ValidationService,
  property: TsoaRoute.PropertySchema,
  value: unknown,
  name,
  found,
  isBody,
  parent = '',
) {
  if (isFull(found)) return undefined;
  const most = property.dataType === 'array' ? property.validators?.maxItems?.value : undefined;
  if (typeof most !== 'number' || !Array.isArray(value) || value.length <= most)
    return validate.call(this, property, value, name, found, isBody, parent);
  found[`${parent}${name ?? ''}`] = {
    message: property.validators?.maxItems?.errorMsg ?? `maxItems ${most}`,
  };
  return undefined;
};
