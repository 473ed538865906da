import type { LineText } from '../http/routing/parameters.js';
import type { ExperimentSettings } from './experiment-config.schemas.js';

/**
 * A UUID, or a word for presets of the installation.
 * @pattern ^[A-Za-z0-9][A-Za-z0-9-]{0,127}$ must be 1 to 128 letters, digits or '-', beginning with a letter or digit
 */
export type PresetId = string;

/** What is trained with what, and how: everything of a config that the preset is to decide. */
export interface PresetConfig extends ExperimentSettings {
  /** @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit */
  dataset_id?: string | null;
  [key: string]: unknown;
}

export interface PresetCreate {
  /** Unique in the tenant */
  name: LineText;
  /** @maxLength 2000 */
  description?: string | null;
  config: PresetConfig;
}

export interface PresetOut {
  id: string;
  name: string;
  description: string;
  /** True for a preset of the installation: it cannot be deleted. */
  built_in: boolean;
  config: Record<string, unknown>;
  /** Null of those of the installation. */
  created_at: string | null;
  created_by: string | null;
}

export interface PresetList {
  items: PresetOut[];
  total: number;
}
