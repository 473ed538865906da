import type { RuntimeAvailability } from '../../../core/ports/workload-runner.js';
import {
  type Availability,
  type EnvironmentNeed,
  type FrameworkEntry,
  type ModelEntry,
  type PretrainedSource,
  TASKS,
  type TaskType,
} from './catalog.types.js';
import { PUBLISHED_FRAMEWORKS } from './published-frameworks.js';

export const isTask = (text: string): text is TaskType => (TASKS as readonly string[]).includes(text);

/** Everything that can be asked for, runnable frameworks first. */
export class Catalog {
  readonly frameworks: readonly FrameworkEntry[];

  /** @param own frameworks whose runtimes are part of the installation */
  constructor(own: readonly FrameworkEntry[]) {
    const brought = new Set(own.map(({ name }) => name));
    this.frameworks = [...own, ...PUBLISHED_FRAMEWORKS.filter(({ name }) => !brought.has(name))];
  }

  framework(name: string): FrameworkEntry | null {
    return this.frameworks.find((entry) => entry.name === name) ?? null;
  }

  /** The licence that a framework puts its models under; null where it asks for nothing. */
  licenceOf(name: string): string | null {
    const found = this.framework(name);
    return found?.optIn ? found.license : null;
  }

  frameworksFor(task: TaskType): FrameworkEntry[] {
    return this.frameworks.filter((entry) => entry.tasks.includes(task));
  }

  /** Models of a task, the frameworks' in turn and each framework's in its own order. */
  models(task: TaskType, framework: string | null): ModelEntry[] {
    return this.frameworksFor(task)
      .filter((entry) => framework === null || entry.name === framework)
      .flatMap((entry) => entry.models.filter((model) => model.task === task));
  }

  model(framework: string, task: string, name: string): ModelEntry | null {
    return (
      this.framework(framework)?.models.find((model) => model.task === task && model.name === name) ?? null
    );
  }
}

/** @param isPlaced whether the operator placed weights for the model */
export const pretrainedSources = (
  { hasPretrained }: Pick<FrameworkEntry, 'hasPretrained'>,
  isPlaced: boolean,
): PretrainedSource[] => (hasPretrained ? [...(isPlaced ? (['catalog'] as const) : []), 'model', 'url'] : []);

/** @param runtimes what the orchestrator says it can run */
export function availabilityOf(
  framework: FrameworkEntry,
  runtimes: readonly RuntimeAvailability[],
): Availability {
  if (framework.runtime === null)
    return { available: false, reason: `No runtime for ${framework.title} is part of this installation.` };
  const found = runtimes.find((runtime) => runtime.runtime === framework.runtime);
  if (!found) return { available: false, reason: `The runtime ${framework.runtime} is not installed here.` };
  return { available: found.available, reason: found.reason };
}

/** What is made before a training begins, because no host has it yet; null where nothing is, and where no host was ever seen. */
export const environmentToMake = (
  { runtime, environment }: Pick<FrameworkEntry, 'runtime' | 'environment'>,
  runtimes: readonly RuntimeAvailability[],
): EnvironmentNeed | null =>
  runtimes.some((found) => found.runtime === runtime && found.isUnmade === true) ? environment : null;

/** A task can be trained as soon as one framework for it can. @param frameworks those for the task */
export function taskAvailability(
  frameworks: readonly FrameworkEntry[],
  runtimes: readonly RuntimeAvailability[],
): Availability {
  const each = frameworks.map((framework) => availabilityOf(framework, runtimes));
  if (each.some(({ available }) => available)) return { available: true, reason: null };
  const reasons = new Set(each.map(({ reason }) => reason).filter((reason) => reason !== null));
  return {
    available: false,
    reason:
      reasons.size === 0
        ? 'No framework for this task is part of this installation.'
        : [...reasons].join(' '),
  };
}
