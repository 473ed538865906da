/**
 * The steps of an erasure, in their order: what runs comes first, the tenant itself last, and then the proof.
 */
export const DELETION_STEPS = [
  'stop',
  'workloads',
  'objects',
  'images',
  'mails',
  'rows',
  'histories',
  'audit',
  'tenant',
  'residue',
] as const;
export type DeletionStepKey = (typeof DELETION_STEPS)[number];

export const DELETION_STEP_TITLES: Readonly<Record<DeletionStepKey, string>> = {
  stop: 'Stop all work',
  workloads: 'Remove workloads',
  objects: 'Remove stored objects and unfinished uploads',
  images: 'Remove images that no other tenant has',
  mails: 'Remove mails about the tenant',
  rows: 'Remove rows of all tables',
  histories: 'Remove workflow histories',
  audit: 'Remove sealed ranges of the audit trail',
  tenant: 'Remove the tenant',
  residue: 'Search for residue',
};
