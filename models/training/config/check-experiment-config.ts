import { checkCopies, checkPartSizes, checkSplit } from './check-split.js';
import { checkMemory } from './check-memory.js';
import { checkOutcome } from './check-outcome.js';
import { checkDataset, suggestion } from './check-dataset.js';
import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import { firstCharacters } from '../../../core/text/line-text.js';
import { MAX_MODEL_NAME } from '../../registry/model-name.rules.js';
import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import type {
  Availability,
  CatalogChoice,
  EnvironmentNeed,
  FrameworkEntry,
} from '../catalog/catalog.types.js';
import { readShape } from './config-shape.rules.js';
import { SHAPE } from './experiment-config-shape.js';
import type { ExperimentConfig } from '../experiment.types.js';
import { checkHyperparameters } from './check-hyperparameters.js';
import {
  checkPretrained,
  type KnownWeights,
  type PlacedWeights,
  type ReadPretrained,
  resolvePretrained,
} from './check-pretrained.js';
import type { AskedVersion } from './check-version-weights.js';

const DATASET_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** What the checks need to know of the world. */
export interface ConfigWorld {
  readonly frameworksOf: (task: string) => readonly FrameworkEntry[];
  readonly availability: (framework: FrameworkEntry) => Availability;
  /** Null where one is there, or need not be named. */
  readonly environmentToMake: (framework: FrameworkEntry) => EnvironmentNeed | null;
  /** GPU slots of the installation. */
  readonly gpuSlots: number;
  /** Null when it does not exist or is not FROZEN. */
  readonly dataset: FrozenDataset | null;
  /** Whether the tenant has an endpoint of the name that the config gives to its own. */
  readonly endpointTaken: boolean;
  /** What the operator placed for the chosen model; null: nothing. */
  readonly weights: PlacedWeights | null;
  /** The version of a model whose weights the config asks for; null: it asks for none that could exist. */
  readonly version: AskedVersion | null;
  /** What a training program may take. */
  readonly memoryLimitBytes: number;
  readonly now: Date;
}

/** The dataset an unchecked config names, or null when it names none that could exist. */
export function datasetKeyOf(given: unknown): string | null {
  const key = (given as { dataset_id?: unknown } | null)?.dataset_id;
  return typeof key === 'string' && DATASET_KEY.test(key) ? key : null;
}

export interface CheckedConfig {
  /** Complete; meaningless unless `errors` is empty. */
  readonly config: ExperimentConfig;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

/** Everything that can be known to be wrong before anything starts. */
export function checkExperimentConfig(given: unknown, world: ConfigWorld): CheckedConfig {
  const errors: FieldError[] = [];
  const read = readShape(given, SHAPE, ['body'], errors) as unknown;
  if (errors.length > 0) return { config: read as ExperimentConfig, errors, warnings: [] };
  const warnings: FieldError[] = [];
  const model = checkModel(read as ReadConfig, world, errors);
  const config = withDefaults(read as ReadConfig, model, world);
  checkDataset(config, world.dataset, { errors, warnings });
  checkSplit(config, errors);
  checkPartSizes(config, world.dataset, { errors, warnings });
  checkCopies(config, world.dataset, warnings);
  checkMetrics(config, model, errors);
  checkHyperparameterText(config, model, errors);
  checkPretrained(config, model, knownWeights(world), errors);
  checkMemory(config, model, world.dataset, world.memoryLimitBytes, { errors, warnings });
  if (model) checkExport(config, model.framework, errors);
  checkUnsupported(config, errors);
  checkOutcome(config, world, errors);
  checkSlots(config, world, errors);
  if (config.gpu > 0 && model && !model.framework.usesGpu)
    warnings.push(
      fieldError(
        ['body', 'gpu'],
        `${model.framework.title} trains on the CPU; the slots stay unused`,
        'warning',
      ),
    );
  const need = model && world.environmentToMake(model.framework);
  if (model && need) {
    const text = `the host makes an environment for ${model.framework.title} first: about ${need.sizeGb} GB and ${need.seconds} s, once`;
    warnings.push(fieldError(['body', 'framework'], text, 'environment'));
  }
  if (model?.framework.optIn) {
    const { title, license } = model.framework;
    const text = `${title} is under ${license}, and so is the model: the licence binds those who pass it on or serve it`;
    warnings.push(fieldError(['body', 'framework'], text, 'licence'));
  }
  return { config, errors, warnings };
}

/** As it is read: what its defaults depend on is not in the shape. */
type ReadConfig = Omit<ExperimentConfig, 'gpu' | 'pretrained'> & {
  readonly gpu: number | null;
  readonly pretrained: ReadPretrained;
};

/**
 * Defaults that depend on more than the field: one GPU slot where there are any, weights where there are any, the
 * experiment's name from model and time, the model's from the experiment.
 */
function withDefaults(
  config: ReadConfig,
  choice: CatalogChoice | null,
  world: ConfigWorld,
): ExperimentConfig {
  const { now, gpuSlots } = world;
  const gpu = config.gpu ?? Math.min(1, gpuSlots);
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const name =
    config.experiment_name.trim() === ''
      ? `${config.model.slice(0, 100)}-${stamp}`
      : config.experiment_name.trim();
  const modelName = config.register_model_name === '' ? modelNameOf(name) : config.register_model_name;
  const pretrained = resolvePretrained(config.pretrained, choice, knownWeights(world));
  return { ...config, gpu, pretrained, experiment_name: name, register_model_name: modelName };
}

/** For `p/e`, the experiment e of project p, it is e. */
const modelNameOf = (experimentName: string): string =>
  firstCharacters(experimentName.slice(experimentName.lastIndexOf('/') + 1), MAX_MODEL_NAME).trimEnd();

const knownWeights = ({ weights, version }: ConfigWorld): KnownWeights => ({
  placed: weights,
  asked: version,
});

export function checkModel(
  config: Pick<ExperimentConfig, 'task' | 'framework' | 'model'>,
  world: Pick<ConfigWorld, 'frameworksOf' | 'availability'>,
  errors: FieldError[],
): CatalogChoice | null {
  const frameworks = world.frameworksOf(config.task);
  const framework = frameworks.find((entry) => entry.name === config.framework);
  if (!framework) {
    errors.push(
      fieldError(
        ['body', 'framework'],
        `no such framework for ${config.task}; ${suggestion(
          config.framework,
          frameworks.map((entry) => entry.name),
        )}`,
      ),
    );
    return null;
  }
  const { available, reason } = world.availability(framework);
  if (!available)
    errors.push(
      fieldError(
        ['body', 'framework'],
        `cannot be trained here: ${reason ?? 'not available'}`,
        'not_available',
      ),
    );
  const models = framework.models.filter((entry) => entry.task === config.task);
  const model = models.find((entry) => entry.name === config.model);
  if (model) return { framework, model };
  errors.push(
    fieldError(
      ['body', 'model'],
      `no such model of ${config.framework} for ${config.task}; ${suggestion(
        config.model,
        models.map((entry) => entry.name),
      )}`,
    ),
  );
  return null;
}

export function checkMetrics(
  { evaluation }: ExperimentConfig,
  choice: CatalogChoice | null,
  errors: FieldError[],
): void {
  const known = choice?.framework.metrics[choice.model.task] ?? [];
  if (known.length === 0) return;
  for (const [at, name] of evaluation.metrics.entries())
    if (!known.includes(name))
      errors.push(
        fieldError(
          ['body', 'evaluation', 'metrics', at],
          `${choice?.framework.title} reports ${known.join(', ')}; leave the list empty for all of them`,
        ),
      );
}

/** A finding ends with the key that it means, or with the line, counted from 1, of what is no YAML. */
export function checkHyperparameterText(
  config: ExperimentConfig,
  choice: CatalogChoice | null,
  errors: FieldError[],
): void {
  const { problems } = checkHyperparameters(config.hyperparameters, choice?.model.rules ?? null);
  for (const { msg, place } of problems)
    errors.push(fieldError(['body', 'hyperparameters', ...(place === null ? [] : [place])], msg));
}

/** Formats that the framework writes; which of them agree with the trained model its run says. */
export function checkExport(
  { export: wanted }: Pick<ExperimentConfig, 'export'>,
  { title, exports }: Pick<FrameworkEntry, 'title' | 'exports'>,
  errors: FieldError[],
): void {
  if (!wanted.enabled) return;
  const say = (field: string, text: string) =>
    void errors.push(fieldError(['body', 'export', field], text, 'not_available'));
  if (exports.length === 0) return say('enabled', `${title} exports no models; switch it off`);
  const unknown = wanted.formats.find((format) => !exports.includes(format));
  if (unknown !== undefined)
    say('formats', `${title} exports ${exports.join(', ')}, and not ${JSON.stringify(unknown)}`);
  if (wanted.half || wanted.dynamic || wanted.image_size !== null)
    say('enabled', 'models are exported as they were trained; leave half, dynamic and image_size out');
}

/** Slots that no host has would be left out without a word. */
function checkSlots({ gpu }: ExperimentConfig, { gpuSlots }: ConfigWorld, errors: FieldError[]): void {
  if (gpu <= gpuSlots) return;
  const text =
    gpuSlots === 0
      ? 'this installation has no GPU slots; leave it out, or give 0, to train on the CPU'
      : `this installation has ${gpuSlots} GPU slots; ask for at most as many`;
  errors.push(fieldError(['body', 'gpu'], text, 'not_available'));
}

/** What this version cannot do is refused: it must not be accepted and then left out. */
function checkUnsupported(config: ExperimentConfig, errors: FieldError[]): void {
  if (config.runtime_variant)
    errors.push(
      fieldError(
        ['body', 'runtime_variant'],
        'this installation has no runtime variants; leave it out',
        'not_available',
      ),
    );
  if (config.runtime_image)
    errors.push(
      fieldError(
        ['body', 'runtime_image'],
        'this installation runs the runtimes it brings; leave it out',
        'not_available',
      ),
    );
}
