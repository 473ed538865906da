export const TASKS = [
  'classification',
  'detection',
  'instance_segmentation',
  'semantic_segmentation',
  'pose',
  'obb',
] as const;
export type TaskType = (typeof TASKS)[number];

export interface TaskEntry {
  readonly name: TaskType;
  readonly title: string;
  readonly description: string;
}

/** What a hyperparameter may hold. */
export type HyperparameterRule =
  | { readonly type: 'boolean' }
  | { readonly type: 'text' /** null: anything */; readonly values: readonly string[] | null }
  | {
      readonly type: 'integer' | 'number';
      readonly least: number;
      readonly most: number;
      /** Values are multiples of it; without it all within the range are taken. */
      readonly step?: number;
    };

export interface ModelEntry {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly framework: string;
  readonly task: TaskType;
  readonly isDefault: boolean;
  /** Parameter count in millions. */
  readonly parametersM: number;
  /** Mean average precision as published (COCO 50-95; DOTA 50 for oriented boxes), in percent; null where it does not apply. */
  readonly map: number | null;
  /** YAML text with the defaults, comments included; null where no runtime brings it. */
  readonly hyperparameters: string | null;
  /** Null where no runtime brings them. */
  readonly rules: Readonly<Record<string, HyperparameterRule>> | null;
}

export interface EnvironmentNeed {
  readonly sizeGb: number;
  readonly seconds: number;
}

export interface FrameworkEntry {
  readonly name: string;
  readonly title: string;
  /** SPDX identifier. */
  readonly license: string;
  /** Off until the setting SERVICE_RUNTIMES names its runtime; what it makes is under its licence. */
  readonly optIn: boolean;
  readonly homepage: string;
  readonly needsGpu: boolean;
  /** Whether GPU slots make it quicker. */
  readonly usesGpu: boolean;
  /** Whether it begins with pretrained weights where it is given some. */
  readonly hasPretrained: boolean;
  readonly tasks: readonly TaskType[];
  /** What an evaluation can report, by task; empty where no runtime brings it. */
  readonly metrics: Readonly<Partial<Record<TaskType, readonly string[]>>>;
  /** Formats that a trained model can be exported to. */
  readonly exports: readonly string[];
  /** What making the environment of its runtime takes, once on each host; null where nothing is stated. */
  readonly environment: EnvironmentNeed | null;
  /** Folder below docker/runtimes; null where none is part of this version. */
  readonly runtime: string | null;
  readonly models: readonly ModelEntry[];
}

/** Where weights come from that a training begins with. */
export type PretrainedSource = 'catalog' | 'model' | 'url';

export interface Availability {
  readonly available: boolean;
  /** Why not; null when available. */
  readonly reason: string | null;
}

/** What a config has chosen. */
export interface CatalogChoice {
  readonly framework: FrameworkEntry;
  readonly model: ModelEntry;
}
