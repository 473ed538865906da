/** Long work that the console shows, by the first part of its workflow's id. */
export type LongWork =
  | 'training'
  | 'export'
  | 'dataset-validation'
  | 'dataset-upload'
  | 'dataset-sync'
  | 'model-image'
  | 'promotion'
  | 'deployment'
  | 'tenant-deletion';

/** Where Temporal lists the workflows of a row: one for each attempt. @param owner id of the tenant, or `platform` */
export const workflowsUrl = (pages: string, kind: LongWork, owner: string, id: string): string =>
  `${pages}?query=${encodeURIComponent(`WorkflowId STARTS_WITH "${kind}:${owner}:${id}:"`)}`;
