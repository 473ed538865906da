import type { Draft } from './draft';

/** What each part of the form of a deployment gets. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}
