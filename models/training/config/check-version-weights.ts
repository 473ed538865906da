import { modelNameProblem } from '../../registry/model-name.rules.js';
import type { CatalogChoice } from '../catalog/catalog.types.js';
import type { ExperimentConfig } from '../experiment.types.js';

/** The version of a model that a training is to begin with, as the registry of the tenant knows it. */
export type AskedVersion =
  | { readonly is: 'no model' }
  /** `newest`: null when every version was deleted. */
  | { readonly is: 'no version'; readonly newest: number | null }
  | KnownVersion;

export interface KnownVersion {
  readonly is: 'known';
  readonly version: number;
  readonly task: string | null;
  readonly framework: string | null;
  /** Model of the catalog; null where its files name none. */
  readonly network: string | null;
  /** Sha256 of the file with its trained weights; null where it has none. */
  readonly sha256: string | null;
}

/** Which version an unchecked config asks for, the newest where it names none. Null: none that could exist. */
export function versionAskedFor(given: unknown): { name: string; version: number | null } | null {
  const { pretrained } = (given ?? {}) as { pretrained?: unknown };
  const { source, model_name: name, version } = (pretrained ?? {}) as Record<string, unknown>;
  if (source !== 'model' || typeof name !== 'string' || modelNameProblem(name) !== null) return null;
  if (version === undefined || version === null) return { name, version: null };
  const isNumber = Number.isInteger(version) && Math.abs(version as number) < 2 ** 31;
  return isNumber ? { name, version: version as number } : null;
}

type Say = (field: string, text: string, type?: string) => void;

/** @param asked null: the config names no model that could exist */
export function checkVersionWeights(
  { model_name: name, version, sha256 }: ExperimentConfig['pretrained'],
  asked: AskedVersion | null,
  choice: CatalogChoice,
  say: Say,
): void {
  if (name === null) return say('model_name', 'is required when source is model', 'missing');
  if (asked === null) return say('model_name', modelNameProblem(name) ?? 'is no name of a model');
  if (asked.is === 'no model') return say('model_name', `there is no model ${JSON.stringify(name)}`);
  if (asked.is === 'no version')
    return say(
      'version',
      asked.newest === null
        ? `the model ${name} has no versions any more`
        : `the model ${name} has no version ${version}; its newest is ${asked.newest}`,
    );
  const problem = kindProblem(asked, choice);
  const label = `version ${asked.version} of ${name}`;
  if (problem !== null) return say('version', `${label} ${problem}`);
  if (asked.sha256 === null)
    return say('version', `${label} has no file of trained weights that its MLmodel names`, 'not_available');
  if (sha256 !== null && sha256 !== asked.sha256)
    say('sha256', `the weights of ${label} have ${asked.sha256}`);
}

/** Weights fit the network that they were trained in. */
function kindProblem(asked: KnownVersion, { framework, model }: CatalogChoice): string | null {
  const isSameNetwork = asked.network === null || asked.network === model.name;
  if (asked.framework === framework.name && asked.task === model.task && isSameNetwork) return null;
  const { network, framework: trainedWith, task } = asked;
  return (
    `is ${network ?? 'a model'} of ${trainedWith ?? 'an unknown framework'} for ${task ?? 'an unknown task'}: ` +
    `a training of ${model.name} of ${framework.name} for ${model.task} begins with weights of the same model alone`
  );
}
