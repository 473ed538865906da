import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { ExperimentConfig } from '../experiment.types.js';
import type { PresetConfig } from '../presets/built-in-presets.js';
import {
  checkExport,
  checkHyperparameterText,
  checkMetrics,
  checkModel,
  type ConfigWorld,
} from './check-experiment-config.js';
import { checkSplit } from './check-split.js';
import { readShape, type Shape } from './config-shape.rules.js';
import { SHAPE } from './experiment-config-shape.js';

/** As of an experiment; the dataset is named when the preset is used. */
const PRESET_SHAPE: Shape = {
  ...SHAPE,
  dataset_id: { kind: 'text', absent: null, least: 1, most: 128 },
};

type PresetWorld = Pick<ConfigWorld, 'frameworksOf'>;

/**
 * Everything of a preset that does not depend on a dataset. A framework that cannot be trained here just now may be kept.
 * @returns what was given, without what is null
 */
export function checkPreset(
  given: unknown,
  world: PresetWorld,
): { readonly config: PresetConfig; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const read = readShape(given, PRESET_SHAPE, ['body'], errors) as unknown as ExperimentConfig;
  if (errors.length === 0) {
    const available = () => ({ available: true, reason: null });
    const choice = checkModel(read, { ...world, availability: available }, errors);
    checkSplit(read, errors);
    checkMetrics(read, choice, errors);
    checkHyperparameterText(read, choice, errors);
    if (choice) checkExport(read, choice.framework, errors);
  }
  return { config: withoutNulls(given) as PresetConfig, errors: errors.map(belowConfig) };
}

/** The config is a part of what was sent. */
const belowConfig = (error: FieldError): FieldError =>
  fieldError(['body', 'config', ...error.loc.slice(1)], error.msg, error.type);

const withoutNulls = (given: unknown): unknown =>
  given !== null && typeof given === 'object' && !Array.isArray(given)
    ? Object.fromEntries(
        Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, withoutNulls(value)]])),
      )
    : given;
