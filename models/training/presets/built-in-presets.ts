import type { TaskType } from '../catalog/catalog.types.js';

/** A part of an experiment's config: at least what is trained with what. */
export type PresetConfig = {
  readonly task: TaskType;
  readonly framework: string;
  readonly model: string;
} & Readonly<Record<string, unknown>>;

/** An experiment ready to be adapted: post its `config` with a dataset_id. */
export interface Preset {
  /** A UUID, or a word for those of the installation. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isBuiltIn: boolean;
  readonly config: PresetConfig;
  /** Null for those of the installation. */
  readonly createdBy: string | null;
  readonly createdAt: Date | null;
}

const OF_INSTALLATION = { isBuiltIn: true, createdBy: null, createdAt: null } as const;

const sklearn = {
  task: 'classification',
  framework: 'sklearn',
  gpu: 0,
  pretrained: { enabled: false },
} as const;

const torchvision = { framework: 'torchvision', pretrained: { enabled: false } } as const;

export const BUILT_IN_PRESETS: readonly Preset[] = [
  {
    id: 'quick-look',
    name: 'Quick look',
    description:
      'Nearest neighbours: seconds, nothing to tune. Shows whether the classes can be distinguished at all.',
    ...OF_INSTALLATION,
    config: {
      ...sklearn,
      model: 'knn',
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: true },
    },
  },
  {
    id: 'small-images',
    name: 'Small images',
    description:
      'Multilayer perceptron with shifted copies: the usual choice for small, centred images such as digits.',
    ...OF_INSTALLATION,
    config: {
      ...sklearn,
      model: 'mlp',
      hyperparameters: 'epochs: 30\nhidden: 128\naugment_shift_px: 1\n',
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: true },
    },
  },
  {
    id: 'robust-baseline',
    name: 'Robust baseline',
    description: 'Random forest: no scaling and hardly any tuning; a figure to beat.',
    ...OF_INSTALLATION,
    config: {
      ...sklearn,
      model: 'random-forest',
      hyperparameters: 'trees: 300\n',
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: true },
    },
  },
  {
    id: 'small-detector',
    name: 'Small detector',
    description:
      'A small FCOS on a ResNet-18: boxes from scratch, on a CPU in minutes for some hundred small images.',
    ...OF_INSTALLATION,
    config: { ...torchvision, task: 'detection', model: 'fcos_resnet18_fpn_small' },
  },
  {
    id: 'small-segmenter',
    name: 'Small segmenter',
    description: 'LR-ASPP on a MobileNet V3: a class for each pixel, from scratch on a CPU.',
    ...OF_INSTALLATION,
    config: { ...torchvision, task: 'semantic_segmentation', model: 'lraspp_mobilenet_v3_large' },
  },
];
