import { TASKS } from '../catalog/catalog.types.js';
import type { Shape } from './config-shape.rules.js';

const EXPORT_FORMATS = ['onnx', 'torchscript', 'openvino', 'tensorrt'] as const;

/** The fields of a config with their types, limits and fixed defaults. */
export const SHAPE: Shape = {
  task: { kind: 'choice', values: TASKS },
  framework: { kind: 'text', least: 1, most: 64 },
  model: { kind: 'text', least: 1, most: 128 },
  pretrained: {
    kind: 'object',
    fields: {
      enabled: { kind: 'flag', absent: null },
      source: { kind: 'choice', absent: 'catalog', values: ['catalog', 'model', 'url'] },
      model_name: { kind: 'text', absent: null, least: 1, most: 128 },
      version: { kind: 'integer', absent: null, least: 1, most: 2 ** 31 - 1 },
      url: { kind: 'text', absent: null, least: 1, most: 2048 },
      sha256: { kind: 'text', absent: null, least: 64, most: 64 },
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
  gpu: { kind: 'integer', absent: null, least: 0, most: 64 },
  experiment_name: { kind: 'text', absent: '', most: 200 },
  register_model: { kind: 'flag', absent: false },
  register_model_name: { kind: 'text', absent: '', most: 128 },
};
