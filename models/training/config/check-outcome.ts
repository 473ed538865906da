import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import { modelNameProblem } from '../../registry/model-name.rules.js';
import { gpuProblem } from '../../serving/endpoint.rules.js';
import type { ExperimentConfig } from '../experiment.types.js';

const ENDPOINT_NAME = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;
/**
 * As an experiment of the tracker is named: `project/experiment`, or an experiment of the project `default`. Letters and
 * digits are those of every language.
 */
const EXPERIMENT_NAME = /^[\p{L}\p{M}\p{N}_.\- ]+(\/[\p{L}\p{M}\p{N}_.\- ]+)*$/u;

/** The name of the endpoint that an unchecked config asks for, or null when it asks for none that could exist. */
export function endpointNameOf(given: unknown): string | null {
  const serving = (given as { serving?: unknown } | null)?.serving;
  const { create_endpoint: isWanted, endpoint_name: name } = (serving ?? {}) as Record<string, unknown>;
  return isWanted === true && typeof name === 'string' && ENDPOINT_NAME.test(name) ? name : null;
}

/** Name, registration, image and endpoint. @param world whether there is an endpoint of its name */
export function checkOutcome(
  config: ExperimentConfig,
  { endpointTaken }: { readonly endpointTaken: boolean },
  errors: FieldError[],
): void {
  if (
    !EXPERIMENT_NAME.test(config.experiment_name) ||
    config.experiment_name.split('/').some((part) => part.trim() !== part || part === '.' || part === '..')
  )
    errors.push(
      fieldError(
        ['body', 'experiment_name'],
        'may hold letters, digits, "_", "-", ".", spaces and "/" between parts',
      ),
    );
  const problem = config.register_model ? modelNameProblem(config.register_model_name) : null;
  if (problem !== null) errors.push(fieldError(['body', 'register_model_name'], problem));
  checkServing(config, endpointTaken, errors);
}

/** Found out here, and not by the last step of a training that has succeeded. */
function checkServing(
  { serving, register_model: registers }: ExperimentConfig,
  endpointTaken: boolean,
  errors: FieldError[],
): void {
  const say = (field: string, text: string, type?: string) =>
    void errors.push(fieldError(['body', 'serving', field], text, type));
  const { build_image: builds, create_endpoint: creates, endpoint_name: name } = serving;
  if (builds && !registers)
    say('build_image', 'needs register_model: an image is built of a registered version');
  if (creates && !builds) say('create_endpoint', 'needs serving.build_image: an endpoint serves an image');
  if (creates && name === null)
    say('endpoint_name', 'is required when an endpoint is to be created', 'missing');
  if (name !== null && !ENDPOINT_NAME.test(name))
    say('endpoint_name', 'must be a DNS-1123 label: small letters, digits and "-", at most 50 characters');
  if (creates && name !== null && endpointTaken)
    say('endpoint_name', `there is an endpoint named ${name} already; choose another name`);
  const problem = gpuProblem(serving.gpu);
  if (problem !== null) say('gpu', problem, 'not_available');
}
