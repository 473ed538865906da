export const STEPS = ['task', 'model', 'dataset', 'parameters', 'review'] as const;
export type WizardStep = (typeof STEPS)[number];

/** A config while it is made. Whatever is undefined is left to the platform's defaults. */
export interface Draft {
  readonly task: string | null;
  readonly framework: string | null;
  readonly model: string | null;
  readonly dataset_id: string | null;
  readonly classes: readonly string[];
  readonly split?: Readonly<Record<string, unknown>>;
  readonly hyperparameters: string;
  readonly pretrained?: Readonly<Record<string, unknown>>;
  readonly evaluation?: Readonly<Record<string, unknown>>;
  readonly export?: Readonly<Record<string, unknown>>;
  readonly serving?: Readonly<Record<string, unknown>>;
  readonly cache_dataset?: boolean;
  readonly gpu?: number;
  readonly experiment_name: string;
  readonly register_model: boolean;
  readonly register_model_name: string;
}

export const EMPTY_DRAFT: Draft = {
  task: null,
  framework: null,
  model: null,
  dataset_id: null,
  classes: [],
  hyperparameters: '',
  experiment_name: '',
  register_model: true,
  register_model_name: '',
};

export const isStep = (given: unknown): given is WizardStep => STEPS.includes(given as WizardStep);

/** Another task: what hangs on the task goes. */
export const withTask = (draft: Draft, task: string): Draft =>
  draft.task === task
    ? draft
    : {
        ...draft,
        task,
        framework: null,
        model: null,
        hyperparameters: '',
        classes: [],
        pretrained: undefined,
        evaluation: undefined,
        export: undefined,
      };

/** As the catalog has them of a model. */
export type WeightsSource = 'catalog' | 'model' | 'url';

/** Whether a training begins with weights, and with which, as the platform reads a config. @param sources there are for its model */
export function beginning(
  given: Readonly<Record<string, unknown>>,
  sources: readonly WeightsSource[],
): { readonly isOn: boolean; readonly source: WeightsSource } {
  const source = (given.source ?? sources[0] ?? 'url') as WeightsSource;
  const isOn = given.enabled ?? (given.source !== undefined || sources.includes('catalog'));
  return { isOn: isOn === true, source };
}

/** Another model: hyperparameters and weights are those of a model. */
export const withModel = (draft: Draft, framework: string, model: string): Draft =>
  draft.framework === framework && draft.model === model
    ? draft
    : {
        ...draft,
        framework,
        model,
        hyperparameters: '',
        ...(draft.pretrained?.enabled === false ? {} : { pretrained: undefined }),
        ...(draft.framework === framework
          ? {}
          : { pretrained: undefined, evaluation: undefined, export: undefined }),
      };

/** Another dataset: its classes are others. */
export const withDataset = (draft: Draft, datasetId: string): Draft =>
  draft.dataset_id === datasetId ? draft : { ...draft, dataset_id: datasetId, classes: [] };

/** Fills in a config that was kept: of a preset, which says nothing of some fields, or of a training that is cloned. */
export function withConfig(draft: Draft, config: Readonly<Record<string, unknown>>): Draft {
  const text = (name: string) => (typeof config[name] === 'string' ? (config[name] as string) : null);
  const object = (name: string) =>
    typeof config[name] === 'object' && config[name] !== null
      ? (config[name] as Readonly<Record<string, unknown>>)
      : undefined;
  return {
    task: text('task') ?? draft.task,
    framework: text('framework') ?? draft.framework,
    model: text('model') ?? draft.model,
    dataset_id: text('dataset_id') ?? draft.dataset_id,
    classes: Array.isArray(config.classes) ? config.classes.map(String) : [],
    split: withoutNulls(object('split')),
    hyperparameters: text('hyperparameters') ?? '',
    pretrained: withoutNulls(object('pretrained')),
    evaluation: withoutNulls(object('evaluation')),
    export: withoutNulls(object('export')),
    serving: withoutNulls(object('serving')),
    cache_dataset: typeof config.cache_dataset === 'boolean' ? config.cache_dataset : undefined,
    gpu: typeof config.gpu === 'number' ? config.gpu : undefined,
    // A clone gets a name of its own.
    experiment_name: draft.experiment_name,
    register_model: typeof config.register_model === 'boolean' ? config.register_model : draft.register_model,
    register_model_name: text('register_model_name') ?? draft.register_model_name,
  };
}

const withoutNulls = (given: Readonly<Record<string, unknown>> | undefined) =>
  given && Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** What every training needs, and the step in which it is chosen. */
const NEEDED = { task: 'task', framework: 'model', model: 'model', dataset_id: 'dataset' } as const;

/** Steps in which something that every training needs is not chosen. */
export const stepsToDo = (draft: Draft): readonly WizardStep[] =>
  STEPS.filter((step) =>
    Object.entries(NEEDED).some(([field, of]) => of === step && draft[field as keyof typeof NEEDED] === null),
  );

/** The body of the request, or null while something that every training needs is not chosen. */
export function requestOf(draft: Draft): Record<string, unknown> | null {
  if (stepsToDo(draft).length > 0) return null;
  const given = Object.entries(draft).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  const request = Object.fromEntries(given);
  if (!draft.register_model) delete request.register_model_name;
  return request;
}

/** A preset: the config without what belongs to one training. */
export function presetOf(draft: Draft): Record<string, unknown> | null {
  const {
    dataset_id: _dataset,
    experiment_name: _name,
    register_model_name: _model,
    ...kept
  } = requestOf({
    ...draft,
    dataset_id: draft.dataset_id ?? '-',
    classes: [],
  }) ?? {};
  return Object.keys(kept).length === 0 ? null : kept;
}

const FIELDS: Readonly<Record<string, WizardStep>> = {
  task: 'task',
  framework: 'model',
  model: 'model',
  pretrained: 'model',
  dataset_id: 'dataset',
  classes: 'dataset',
  split: 'dataset',
  hyperparameters: 'parameters',
};

/** The step in which a finding can be repaired. @param loc as the platform says it: `['body', 'split', 'train']` */
export const stepOf = (loc: ReadonlyArray<string | number>): WizardStep => FIELDS[String(loc[1])] ?? 'review';
