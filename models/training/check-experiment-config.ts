import { type FieldError, fieldError } from '../../core/errors/app-error.js';
import type { FrozenDataset } from '../datasets/dataset.types.js';
import { modelNameProblem } from '../registry/model-name.rules.js';
import type { Availability, FrameworkEntry, ModelEntry } from './catalog/catalog.types.js';
import { TASKS } from './catalog/catalog.types.js';
import { nearest, readShape, type Shape } from './config-shape.rules.js';
import type { ExperimentConfig } from './experiment.types.js';
import { checkHyperparameters } from './check-hyperparameters.js';

const EXPORT_FORMATS = ['onnx', 'torchscript', 'openvino', 'tensorrt'] as const;
const DATASET_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const ENDPOINT_NAME = /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/;
/** As an experiment of the tracker is named: `project/experiment`, or an experiment of the project `default`. */
const EXPERIMENT_NAME = /^[\w.\- ]+(\/[\w.\- ]+)*$/;

const SHAPE: Shape = {
  task: { kind: 'choice', values: TASKS },
  framework: { kind: 'text', least: 1, most: 64 },
  model: { kind: 'text', least: 1, most: 128 },
  pretrained: {
    kind: 'object',
    fields: {
      enabled: { kind: 'flag', absent: true },
      source: { kind: 'choice', absent: 'catalog', values: ['catalog', 'model', 'url'] },
      model_name: { kind: 'text', absent: null, least: 1, most: 128 },
      version: { kind: 'integer', absent: null, least: 1, most: 2 ** 31 - 1 },
      url: { kind: 'text', absent: null, least: 1, most: 2048 },
    },
  },
  dataset_id: { kind: 'text', least: 1, most: 128 },
  cache_dataset: { kind: 'flag', absent: false },
  classes: { kind: 'texts', most: 10_000, mostLength: 512 },
  split: {
    kind: 'object',
    fields: {
      mode: { kind: 'choice', absent: 'ratio', values: ['ratio', 'existing'] },
      train: { kind: 'number', absent: 0.8, least: 0, most: 1 },
      val: { kind: 'number', absent: 0.1, least: 0, most: 1 },
      test: { kind: 'number', absent: 0.1, least: 0, most: 1 },
      seed: { kind: 'integer', absent: 42, least: 0, most: 2 ** 31 - 1 },
      stratify: { kind: 'flag', absent: false },
    },
  },
  hyperparameters: { kind: 'text', absent: '', most: 65_536 },
  evaluation: {
    kind: 'object',
    fields: {
      enabled: { kind: 'flag', absent: true },
      split: { kind: 'choice', absent: 'test', values: ['val', 'test'] },
      metrics: { kind: 'texts', most: 50, mostLength: 100 },
      conf: { kind: 'number', absent: 0.25, least: 0, most: 1 },
      iou: { kind: 'number', absent: 0.5, least: 0, most: 1 },
    },
  },
  export: {
    kind: 'object',
    fields: {
      enabled: { kind: 'flag', absent: false },
      formats: { kind: 'texts', most: 4, mostLength: 20, values: EXPORT_FORMATS },
      image_size: { kind: 'integer', absent: null, least: 4, most: 8192 },
      half: { kind: 'flag', absent: false },
      dynamic: { kind: 'flag', absent: false },
    },
  },
  serving: {
    kind: 'object',
    fields: {
      build_image: { kind: 'flag', absent: false },
      create_endpoint: { kind: 'flag', absent: false },
      endpoint_name: { kind: 'text', absent: null, least: 1, most: 50 },
      replicas: { kind: 'integer', absent: 1, least: 1, most: 32 },
      gpu: { kind: 'integer', absent: 0, least: 0, most: 64 },
    },
  },
  runtime_variant: { kind: 'text', absent: null, most: 128 },
  runtime_image: { kind: 'text', absent: null, most: 512 },
  runtime_shared: { kind: 'flag', absent: false },
  gpu: { kind: 'integer', absent: 1, least: 0, most: 64 },
  experiment_name: { kind: 'text', absent: '', most: 200 },
  register_model: { kind: 'flag', absent: false },
  register_model_name: { kind: 'text', absent: '', most: 128 },
};

/** What the checks need to know of the world. */
export interface ConfigWorld {
  readonly frameworksOf: (task: string) => readonly FrameworkEntry[];
  readonly availability: (framework: FrameworkEntry) => Availability;
  /** Null when it does not exist or is not FROZEN. */
  readonly dataset: FrozenDataset | null;
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
  const read = readShape(given, SHAPE, ['body'], errors) as unknown as ExperimentConfig;
  if (errors.length > 0) return { config: read, errors, warnings: [] };
  const config = withNames(read, world.now);
  const warnings: FieldError[] = [];
  const model = checkModel(config, world, errors);
  checkDataset(config, world.dataset, errors);
  checkSplit(config, errors);
  checkMetrics(config, model, errors);
  checkHyperparameterText(config, model, errors);
  checkPretrained(config, model, errors, warnings);
  checkUnsupported(config, errors);
  checkOutcome(config, errors);
  if (config.gpu > 0 && model && !model.framework.needsGpu)
    warnings.push(fieldError(['body', 'gpu'], `${model.framework.title} trains on the CPU; the slots stay unused`, 'warning'));
  return { config, errors, warnings };
}

/** Names nobody gave: the experiment's from model and time, the model's from the experiment. */
function withNames(config: ExperimentConfig, now: Date): ExperimentConfig {
  const stamp = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const name = config.experiment_name.trim() === '' ? `${config.model.slice(0, 100)}-${stamp}` : config.experiment_name.trim();
  return { ...config, experiment_name: name, register_model_name: config.register_model_name === '' ? name : config.register_model_name };
}

interface Choice {
  readonly framework: FrameworkEntry;
  readonly model: ModelEntry;
}

function checkModel(config: ExperimentConfig, world: ConfigWorld, errors: FieldError[]): Choice | null {
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
  if (!available) errors.push(fieldError(['body', 'framework'], `cannot be trained here: ${reason ?? 'not available'}`, 'not_available'));
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

function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? `there are ${known.slice(0, 20).join(', ')}` : `did you mean ${near}?`;
}

function checkDataset(config: ExperimentConfig, dataset: FrozenDataset | null, errors: FieldError[]): void {
  const say = (field: string, text: string) => errors.push(fieldError(['body', field], text));
  if (!dataset) return void say('dataset_id', 'no FROZEN dataset of this id: upload files and wait until its validation has frozen it');
  const known = new Map(dataset.classes.map((entry) => [entry.name, entry.count]));
  if (config.split.mode === 'existing' && (dataset.splits.train ?? 0) === 0) say('split', 'mode existing needs the files in the folders train, val and test');
  const missing = config.classes.find((name) => !known.has(name));
  if (missing !== undefined) say('classes', `the dataset has no class ${JSON.stringify(missing)}; ${suggestion(missing, [...known.keys()])}`);
  else if (config.task === 'classification' && (config.classes.length === 0 ? known.size : config.classes.length) < 2)
    say(config.classes.length === 0 ? 'dataset_id' : 'classes', 'classification needs at least two classes: the folder of a file is its class');
}

function checkSplit({ split, evaluation }: ExperimentConfig, errors: FieldError[]): void {
  if (split.mode === 'existing') return;
  const sum = split.train + split.val + split.test;
  if (Math.abs(sum - 1) > 1e-6) errors.push(fieldError(['body', 'split'], `train, val and test must add up to 1, not ${Number(sum.toFixed(6))}`));
  else if (split.train === 0) errors.push(fieldError(['body', 'split', 'train'], 'must be greater than 0'));
  else if (evaluation.enabled && split[evaluation.split] === 0)
    errors.push(fieldError(['body', 'evaluation', 'split'], `the part ${evaluation.split} is empty: give split.${evaluation.split} a share or switch evaluation.enabled off`));
}

function checkMetrics({ evaluation }: ExperimentConfig, choice: Choice | null, errors: FieldError[]): void {
  const known = choice?.framework.metrics ?? [];
  if (known.length === 0) return;
  for (const [at, name] of evaluation.metrics.entries())
    if (!known.includes(name))
      errors.push(fieldError(['body', 'evaluation', 'metrics', at], `${choice?.framework.title} reports ${known.join(', ')}; leave the list empty for all of them`));
}

function checkHyperparameterText(config: ExperimentConfig, choice: Choice | null, errors: FieldError[]): void {
  for (const problem of checkHyperparameters(config.hyperparameters, choice?.model.rules ?? null).problems) errors.push(fieldError(['body', 'hyperparameters'], problem));
}

function checkPretrained({ pretrained }: ExperimentConfig, choice: Choice | null, errors: FieldError[], warnings: FieldError[]): void {
  if (!pretrained.enabled || !choice) return;
  if (!choice.framework.hasPretrained) {
    const text = `${choice.framework.title} has no pretrained weights: it trains from nothing`;
    if (pretrained.source === 'catalog') warnings.push(fieldError(['body', 'pretrained'], text, 'warning'));
    else errors.push(fieldError(['body', 'pretrained', 'source'], text));
    return;
  }
  if (pretrained.source === 'model' && pretrained.model_name === null) errors.push(fieldError(['body', 'pretrained', 'model_name'], 'is required when source is model', 'missing'));
  if (pretrained.source === 'url' && !/^https?:\/\//.test(pretrained.url ?? ''))
    errors.push(fieldError(['body', 'pretrained', 'url'], 'must be an http or https address when source is url'));
}

/** What this version cannot do is refused: it must not be accepted and then left out. */
function checkUnsupported(config: ExperimentConfig, errors: FieldError[]): void {
  if (config.export.enabled) errors.push(fieldError(['body', 'export', 'enabled'], 'no runtime of this installation exports models; switch it off', 'not_available'));
  if (config.runtime_variant) errors.push(fieldError(['body', 'runtime_variant'], 'this installation has no runtime variants; leave it out', 'not_available'));
  if (config.runtime_image) errors.push(fieldError(['body', 'runtime_image'], 'this installation runs the runtimes it brings; leave it out', 'not_available'));
}

/** Name, registration, image and endpoint. */
function checkOutcome(config: ExperimentConfig, errors: FieldError[]): void {
  if (!EXPERIMENT_NAME.test(config.experiment_name) || config.experiment_name.split('/').some((part) => part.trim() !== part || part === '.' || part === '..'))
    errors.push(fieldError(['body', 'experiment_name'], 'may hold letters, digits, "_", "-", ".", spaces and "/" between parts'));
  const problem = config.register_model ? modelNameProblem(config.register_model_name) : null;
  if (problem !== null) errors.push(fieldError(['body', 'register_model_name'], problem));
  const { serving } = config;
  if (serving.build_image && !config.register_model) errors.push(fieldError(['body', 'serving', 'build_image'], 'needs register_model: an image is built of a registered version'));
  if (serving.create_endpoint && !serving.build_image) errors.push(fieldError(['body', 'serving', 'create_endpoint'], 'needs serving.build_image: an endpoint serves an image'));
  if (serving.create_endpoint && serving.endpoint_name === null)
    errors.push(fieldError(['body', 'serving', 'endpoint_name'], 'is required when an endpoint is to be created', 'missing'));
  if (serving.endpoint_name !== null && !ENDPOINT_NAME.test(serving.endpoint_name))
    errors.push(fieldError(['body', 'serving', 'endpoint_name'], 'must be a DNS-1123 label: small letters, digits and "-", at most 50 characters'));
}
