import type { KeyValue } from './key-value.types.js';
import type { ModelRow, ModelVersionRow } from '../model.types.js';

export interface Alias {
  readonly alias: string;
  readonly version: number;
}

/** A model with what people wrote on it. */
export interface LabelledModel
  extends Pick<ModelRow, 'id' | 'name' | 'createdBy' | 'createdAt' | 'updatedAt'> {
  readonly description: string | null;
  readonly tags: readonly KeyValue[];
  readonly aliases: readonly Alias[];
  /** The highest version of each stage. */
  readonly latest: readonly LabelledVersion[];
}

export interface LabelledVersion extends ModelVersionRow {
  /** Where the files were taken from, as the client said it; null for versions registered otherwise. */
  readonly source: string | null;
  readonly tags: readonly KeyValue[];
  readonly aliases: readonly string[];
}
