import { parse } from 'yaml';
import {
  type FrameworkEntry,
  type HyperparameterRule,
  type ModelEntry,
  TASKS,
  type TaskType,
} from './catalog.types.js';

interface FileModel {
  name: string;
  title: string;
  description: string;
  task: TaskType;
  default: boolean;
  parameters_m: number;
  map: number | null;
  hyperparameters: string;
  limits?: Limits;
}

type Limits = Record<string, ReadonlyArray<number | string>>;

interface File {
  framework: string;
  title: string;
  license: string;
  opt_in?: boolean;
  homepage: string;
  runtime: string;
  needs_gpu: boolean;
  uses_gpu?: boolean;
  /** Whether its programs begin with weights that they are given. */
  pretrained?: boolean;
  tasks: TaskType[];
  /** The same for all tasks, or by task. */
  metrics: string[] | Partial<Record<TaskType, string[]>>;
  exports?: string[];
  environment?: { size_gb: number; seconds: number };
  /** Limits for every model that has the hyperparameter. */
  limits?: Limits;
  models: FileModel[];
}

/**
 * Reads the `catalog.yaml` that lies beside the programs of a runtime.
 * @param folder its name: hosts find the programs of a framework by it
 * @throws Error when it is not complete: the runtime is ours, so the process must not start with half a catalog
 */
export function parseRuntimeCatalog(folder: string, text: string): FrameworkEntry {
  const file = parse(text) as File;
  for (const key of ['framework', 'runtime'] as const)
    if (file[key] !== folder)
      throw new Error(`catalog of the folder ${folder}: ${key} must be the folder's name, not ${file[key]}`);
  const unknown = file.tasks.find((task) => !TASKS.includes(task));
  if (unknown) throw new Error(`catalog of ${file.framework}: unknown task ${unknown}`);
  return {
    name: file.framework,
    title: file.title,
    license: file.license,
    optIn: file.opt_in === true,
    homepage: file.homepage,
    needsGpu: file.needs_gpu,
    usesGpu: file.needs_gpu || file.uses_gpu === true,
    hasPretrained: file.pretrained === true,
    tasks: file.tasks,
    metrics: metricsOf(file),
    exports: file.exports ?? [],
    environment: file.environment
      ? { sizeGb: file.environment.size_gb, seconds: file.environment.seconds }
      : null,
    runtime: file.runtime,
    models: file.models.map((model) => toModel(file, model)),
  };
}

function metricsOf({ metrics, tasks }: File): FrameworkEntry['metrics'] {
  return Array.isArray(metrics) ? Object.fromEntries(tasks.map((task) => [task, metrics])) : metrics;
}

function toModel({ framework, limits }: File, model: FileModel): ModelEntry {
  return {
    name: model.name,
    title: model.title,
    description: model.description,
    framework,
    task: model.task,
    isDefault: model.default,
    parametersM: model.parameters_m,
    map: model.map,
    hyperparameters: model.hyperparameters,
    rules: rulesOf(`${framework} ${model.name}`, parse(model.hyperparameters) as Record<string, unknown>, {
      ...limits,
      ...model.limits,
    }),
  };
}

/** The type of a parameter is that of its default; numbers and choices state their limits. */
function rulesOf(
  where: string,
  defaults: Readonly<Record<string, unknown>>,
  limits: Limits,
): Record<string, HyperparameterRule> {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const limit = limits[name];
      if (typeof value === 'boolean') return [name, { type: 'boolean' as const }];
      if (typeof value === 'string')
        return [name, { type: 'text' as const, values: limit ? limit.map(String) : null }];
      const [type, least, most, step] = limit ?? [];
      if (
        typeof value !== 'number' ||
        (type !== 'integer' && type !== 'number') ||
        typeof least !== 'number' ||
        typeof most !== 'number' ||
        (step !== undefined && typeof step !== 'number')
      )
        throw new Error(`catalog of ${where}: ${name} has no limits`);
      return [name, { type, least, most, ...(step === undefined ? {} : { step }) }];
    }),
  );
}
