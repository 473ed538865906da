import type { TenantDeletionActivities } from '../../../activities/tenants/tenant-deletion.activities.js';
import { conflict } from '../../../core/errors/app-error.js';
import type { DeletionRef } from '../../../models/tenants/deletion.types.js';
import { TENANT_DELETION_WORKFLOW } from '../../../models/tenants/deletion-work.types.js';
import { cancelDuring, lateToLetGo, type Scenario } from '../support/scenario.js';

const ref: DeletionRef = { deletionId: '0f0e0d0c-0b0a-4908-8706-050403020100', attempt: 1 };

const fakes = (over: Partial<TenantDeletionActivities> = {}): TenantDeletionActivities => ({
  beginTenantDeletion: async () => ['stop', 'objects', 'rows', 'residue'],
  runTenantDeletionStep: async () => undefined,
  completeTenantDeletion: async () => undefined,
  failTenantDeletion: async () => undefined,
  ...over,
});

export const TENANT_DELETION_SCENARIOS: readonly Scenario[] = [
  {
    type: TENANT_DELETION_WORKFLOW,
    name: 'success',
    args: [ref],
    activities: () => fakes(),
    ends: { result: null },
  },
  {
    type: TENANT_DELETION_WORKFLOW,
    name: 'success-retry',
    args: [{ ...ref, attempt: 2 }],
    activities: () => fakes({ beginTenantDeletion: async () => ['residue'] }),
    ends: { result: null },
  },
  {
    type: TENANT_DELETION_WORKFLOW,
    name: 'success-overtaken',
    args: [ref],
    activities: () => fakes({ beginTenantDeletion: async () => null }),
    ends: { result: null },
  },
  {
    type: TENANT_DELETION_WORKFLOW,
    name: 'failure-residue',
    args: [ref],
    activities: () =>
      fakes({
        runTenantDeletionStep: async (_ref, key) => {
          if (key === 'residue') throw conflict('Found after everything was removed: 1 objects.');
        },
      }),
    ends: { result: null },
  },
  {
    type: TENANT_DELETION_WORKFLOW,
    name: 'cancel',
    args: [ref],
    activities: () => {
      const { work, close } = lateToLetGo();
      return fakes({ runTenantDeletionStep: work, failTenantDeletion: close });
    },
    meanwhile: cancelDuring('runTenantDeletionStep'),
    ends: 'cancelled',
  },
];
