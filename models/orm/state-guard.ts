import type { EntityName, EventArgs, EventSubscriber } from '@mikro-orm/postgresql';
import type { StateMachine } from '../../core/states/state-machine.js';
import { Dataset, DatasetFile, DatasetUpload } from '../datasets/catalog/dataset.entity.js';
import { DATASET_STATES, FILE_STATES, VALIDATION_STATES } from '../datasets/catalog/dataset-state.rules.js';
import { UPLOAD_STATE_MACHINE } from '../datasets/uploads/upload-state.rules.js';
import { Deployment } from '../deployments/deployment.entity.js';
import { DeploymentDevice } from '../deployments/devices/deployment-device.entity.js';
import { DEPLOYMENT_MACHINE, DEVICE_STEP_MACHINE } from '../deployments/deployment-state.rules.js';
import { COMMAND_MACHINE } from '../edge/commands/command.rules.js';
import { EdgeCommand } from '../edge/commands/edge-command.entity.js';
import { IMAGE_STATES } from '../images/image-state.rules.js';
import { Image } from '../images/image.entity.js';
import { ModelVersion } from '../registry/model.entity.js';
import { PROMOTION_STATES } from '../registry/promotion/promotion-state.rules.js';
import { Promotion } from '../registry/promotion/promotion.entity.js';
import { STAGE_MACHINE } from '../registry/stage.rules.js';
import { ENDPOINT_STATES } from '../serving/endpoint.rules.js';
import { ServingEndpoint } from '../serving/serving.entity.js';
import { ENTRY_STATES, SYNC_STATES } from '../sources/sync/dataset-sync.rules.js';
import { DatasetSyncEntry } from '../sources/sync/dataset-sync-entry.entity.js';
import { DatasetSync } from '../sources/sync/dataset-sync.entity.js';
import { DELETION_STATES, DELETION_STEP_STATES } from '../tenants/deletion-state.rules.js';
import { TenantDeletionStep } from '../tenants/tenant-deletion-step.entity.js';
import { TenantDeletion } from '../tenants/tenant-deletion.entity.js';
import { LoggedModel } from '../tracker/logged-models/logged-model.entity.js';
import { LOGGED_MODEL_STATES } from '../tracker/logged-models/logged-model.rules.js';
import { RUN_STATES } from '../tracker/run-state.rules.js';
import { TrackerRun } from '../tracker/tracker-run.entity.js';
import { EXPERIMENT_STATES, STEP_STATES } from '../training/experiment-state.rules.js';
import { TrainingExperiment } from '../training/experiment.entity.js';
import { EXPORT_STATES } from '../training/export/export-state.rules.js';
import { TrainingExport } from '../training/export/training-export.entity.js';
import { TrainingStep } from '../training/training-step.entity.js';
import { Workload } from '../workloads/workload.entity.js';
import { WORKLOAD_STATES } from '../workloads/workload.rules.js';

/** Entity, the property that holds its state, and the steps that are allowed. */
export const STATE_MACHINES: ReadonlyArray<readonly [EntityName, string, StateMachine]> = [
  [Dataset, 'status', DATASET_STATES],
  [Dataset, 'validationStatus', VALIDATION_STATES],
  [DatasetFile, 'status', FILE_STATES],
  [DatasetUpload, 'state', UPLOAD_STATE_MACHINE],
  [DatasetSync, 'status', SYNC_STATES],
  [DatasetSyncEntry, 'state', ENTRY_STATES],
  [TrainingExperiment, 'status', EXPERIMENT_STATES],
  [TrainingStep, 'status', STEP_STATES],
  [TrainingExport, 'status', EXPORT_STATES],
  [TrackerRun, 'status', RUN_STATES],
  [LoggedModel, 'status', LOGGED_MODEL_STATES],
  [ModelVersion, 'stage', STAGE_MACHINE],
  [Image, 'status', IMAGE_STATES],
  [Promotion, 'status', PROMOTION_STATES],
  [ServingEndpoint, 'status', ENDPOINT_STATES],
  [Workload, 'status', WORKLOAD_STATES],
  [EdgeCommand, 'state', COMMAND_MACHINE],
  [Deployment, 'status', DEPLOYMENT_MACHINE],
  [DeploymentDevice, 'step', DEVICE_STEP_MACHINE],
  [TenantDeletion, 'status', DELETION_STATES],
  [TenantDeletionStep, 'status', DELETION_STEP_STATES],
];

/** Refuses to write an entity whose state has taken a step that its table does not have: a fault of the program. */
export class StateGuard implements EventSubscriber {
  getSubscribedEntities(): EntityName[] {
    return [...new Set(STATE_MACHINES.map(([entity]) => entity))];
  }

  beforeUpdate({ meta, changeSet }: EventArgs<object>): void {
    const before = changeSet?.originalEntity as Readonly<Record<string, string>> | undefined;
    const after = changeSet?.payload as Readonly<Record<string, string | undefined>> | undefined;
    for (const [entity, property, machine] of STATE_MACHINES) {
      const [from, to] = [before?.[property], after?.[property]];
      if (meta.class !== entity || from === undefined || to === undefined || from === to) continue;
      if (!machine.may(from, to)) throw new Error(`${machine.entity} does not become ${to} from ${from}.`);
    }
  }
}
