import type { DeletionStepKey } from '../../models/tenants/deletion-steps.types.js';
import { removeMails } from './erase-mails.js';
import { removeObjects } from './erase-objects.js';
import { removeAudit, removeImages, removeRows, removeTenant } from './erase-rows.platform.js';
import { removeHistories, removeWorkloads, stopWork } from './erase-workflows-and-workloads.js';
import type { Eraser } from './erasure-step.platform.js';

/** What each step removes. The order is that of DELETION_STEPS. */
export const ERASERS: Readonly<Record<Exclude<DeletionStepKey, 'residue'>, Eraser>> = {
  stop: stopWork,
  workloads: removeWorkloads,
  objects: removeObjects,
  images: removeImages,
  mails: removeMails,
  rows: removeRows,
  histories: removeHistories,
  audit: removeAudit,
  tenant: removeTenant,
};
