import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { AccessTokenSchema } from '../accounts/tokens/access-token.entity.js';
import { AttemptLimitSchema } from '../accounts/sign-in/attempt-limit.entity.js';
import { AuthSessionSchema } from '../accounts/auth-session.entity.js';
import { InvitationSchema } from '../accounts/invitation.entity.js';
import { SignInPlaceSchema } from '../accounts/sign-in/sign-in-place.entity.js';
import { UserSchema, MembershipSchema } from '../accounts/user.entity.js';
import { AuditEntrySchema } from '../audit/audit-entry.entity.js';
import { AuditEpochSchema } from '../audit/audit-epoch.entity.js';
import { AuditSealSchema } from '../audit/audit-seal.entity.js';
import { DatasetAnnotationFileSchema } from '../datasets/annotations/entries/dataset-annotation-file.entity.js';
import { DatasetAnnotationSchema } from '../datasets/annotations/entries/dataset-annotation.entity.js';
import { DatasetHoldSchema } from '../datasets/catalog/dataset-hold.entity.js';
import { DatasetUploadChunkSchema } from '../datasets/uploads/dataset-upload-chunk.entity.js';
import {
  DatasetSchema,
  DatasetFileSchema,
  DatasetVersionSchema,
  DatasetUploadSchema,
} from '../datasets/catalog/dataset.entity.js';
import { ImageBlobRemovalSchema } from '../images/image-blob-removal.entity.js';
import { ImageManifestBlobSchema } from '../images/image-manifest-blob.entity.js';
import { ImageTagSchema } from '../images/image-tag.entity.js';
import { ImageSchema, ImageManifestSchema, ImageBlobSchema } from '../images/image.entity.js';
import { NotificationMailSchema } from '../notifications/notification-mail.entity.js';
import { NotificationPreferenceSchema } from '../notifications/notification-preference.entity.js';
import { NotificationRequestSchema } from '../notifications/notification-request.entity.js';
import { NotificationSchema } from '../notifications/notification.entity.js';
import { OrphanedObjectSchema } from '../objects/orphaned-object.entity.js';
import { ActivityEffectSchema } from '../outbox/activity-effect.entity.js';
import { DispatchSchema } from '../outbox/dispatch.entity.js';
import { FeedbackSchema } from '../monitoring/feedback.entity.js';
import { InferenceSchema } from '../monitoring/inference.entity.js';
import { ModelCommentSchema } from '../registry/comment.entity.js';
import { ModelAliasSchema } from '../registry/labels/model-alias.entity.js';
import { ModelTagSchema } from '../registry/labels/model-tag.entity.js';
import { ModelVersionTagSchema } from '../registry/labels/model-version-tag.entity.js';
import { PromotionSchema } from '../registry/promotion/promotion.entity.js';
import { ModelVersionFileSchema } from '../registry/model-version-file.entity.js';
import { ModelSchema, ModelVersionSchema, ModelStageChangeSchema } from '../registry/model.entity.js';
import { EndpointLogChunkSchema } from '../serving/logs/endpoint-log-chunk.entity.js';
import { EndpointLogSegmentSchema } from '../serving/logs/endpoint-log-segment.entity.js';
import { ServingEndpointSchema } from '../serving/serving.entity.js';
import { DatasetSyncEntrySchema } from '../sources/sync/dataset-sync-entry.entity.js';
import { DatasetSyncSchema } from '../sources/sync/dataset-sync.entity.js';
import { ExternalSourceSchema, DatasetSourceSchema } from '../sources/catalog/external-source.entity.js';
import { PlatformRestoreSchema } from '../backup/platform-restore.entity.js';
import { EdgeCollectionSchema } from '../edge/uploads/edge-collection.entity.js';
import { EdgeUploadSchema } from '../edge/uploads/edge-upload.entity.js';
import { EdgeCommandSchema } from '../edge/commands/edge-command.entity.js';
import { EdgeDeviceRemovalSchema } from '../edge/devices/edge-device-removal.entity.js';
import { EdgeDeviceSchema } from '../edge/devices/edge-device.entity.js';
import { EdgeTokenSchema } from '../edge/devices/edge-token.entity.js';
import { EdgeHeartbeatSchema } from '../edge/heartbeats/edge-heartbeat.entity.js';
import { DeploymentDeviceSchema } from '../deployments/devices/deployment-device.entity.js';
import { DeploymentLogSchema } from '../deployments/deployment-log.entity.js';
import { DeploymentSchema } from '../deployments/deployment.entity.js';
import { EdgeInstalledModelSchema } from '../edge/installed/edge-installed-model.entity.js';
import { EdgeSnapshotSchema } from '../edge/heartbeats/edge-snapshot.entity.js';
import { TelemetryBatchSchema } from '../edge/telemetry-batch.entity.js';
import { TelemetrySchema } from '../edge/telemetry.entity.js';
import { ProcessHeartbeatSchema } from '../system/process-heartbeat.entity.js';
import { StreamSeatSchema } from '../system/stream-seat.entity.js';
import { WorkloadHostSchema } from '../system/workload-host.entity.js';
import { TenantDeletionLogSchema } from '../tenants/tenant-deletion-log.entity.js';
import { TenantDeletionStepSchema } from '../tenants/tenant-deletion-step.entity.js';
import { TenantDeletionSchema } from '../tenants/tenant-deletion.entity.js';
import { TenantSchema } from '../tenants/tenant.entity.js';
import { ExperimentTagSchema } from '../tracker/experiments/experiment-tag.entity.js';
import { RunDatasetSchema } from '../tracker/inputs/run-dataset.entity.js';
import { RunModelSchema } from '../tracker/inputs/run-model.entity.js';
import { TrackerDatasetSchema } from '../tracker/inputs/tracker-dataset.entity.js';
import { LoggedModelArtifactSchema } from '../tracker/logged-models/logged-model-artifact.entity.js';
import { LoggedModelMetricSchema } from '../tracker/logged-models/logged-model-metric.entity.js';
import { LoggedModelSchema } from '../tracker/logged-models/logged-model.entity.js';
import { MetricKeySchema } from '../tracker/metric-key.entity.js';
import { MetricLatestSchema } from '../tracker/metric-latest.entity.js';
import { MetricPointSchema } from '../tracker/metric-point.entity.js';
import { ParamSchema } from '../tracker/param.entity.js';
import { RunArtifactSchema } from '../tracker/run-artifact.entity.js';
import { TagSchema } from '../tracker/tag.entity.js';
import { TrackerExperimentSchema } from '../tracker/tracker-experiment.entity.js';
import { TrackerRunSchema } from '../tracker/tracker-run.entity.js';
import { TrainingExperimentSchema } from '../training/experiment.entity.js';
import { TrainingExportSchema } from '../training/export/training-export.entity.js';
import { LogChunkSchema } from '../training/logs/log-chunk.entity.js';
import { LogSegmentSchema } from '../training/logs/log-segment.entity.js';
import { TrainingPresetSchema } from '../training/presets/training-preset.entity.js';
import { TrainingStepSchema } from '../training/training-step.entity.js';
import { HostSchema } from '../workloads/host.entity.js';
import { WorkloadLogSchema } from '../workloads/workload-log.entity.js';
import { WorkloadSchema } from '../workloads/workload.entity.js';

/** Every table of the platform as an entity, by domain. Nothing is discovered by folder. */
export const ENTITIES = [
  AccessTokenSchema,
  InvitationSchema,
  AttemptLimitSchema,
  AuthSessionSchema,
  SignInPlaceSchema,
  UserSchema,
  MembershipSchema,
  AuditEntrySchema,
  AuditEpochSchema,
  AuditSealSchema,
  DatasetAnnotationFileSchema,
  DatasetAnnotationSchema,
  DatasetHoldSchema,
  DatasetUploadChunkSchema,
  DatasetSchema,
  DatasetFileSchema,
  DatasetVersionSchema,
  DatasetUploadSchema,
  ImageBlobRemovalSchema,
  ImageManifestBlobSchema,
  ImageTagSchema,
  ImageSchema,
  ImageManifestSchema,
  ImageBlobSchema,
  NotificationMailSchema,
  NotificationPreferenceSchema,
  NotificationRequestSchema,
  NotificationSchema,
  OrphanedObjectSchema,
  ActivityEffectSchema,
  DispatchSchema,
  ModelAliasSchema,
  ModelTagSchema,
  ModelVersionTagSchema,
  ModelVersionFileSchema,
  ModelSchema,
  ModelVersionSchema,
  ModelStageChangeSchema,
  ModelCommentSchema,
  PromotionSchema,
  InferenceSchema,
  FeedbackSchema,
  EndpointLogChunkSchema,
  EndpointLogSegmentSchema,
  ServingEndpointSchema,
  DatasetSyncEntrySchema,
  DatasetSyncSchema,
  ExternalSourceSchema,
  DatasetSourceSchema,
  PlatformRestoreSchema,
  EdgeDeviceSchema,
  EdgeTokenSchema,
  EdgeSnapshotSchema,
  EdgeHeartbeatSchema,
  EdgeCommandSchema,
  EdgeUploadSchema,
  EdgeCollectionSchema,
  EdgeDeviceRemovalSchema,
  EdgeInstalledModelSchema,
  DeploymentSchema,
  DeploymentDeviceSchema,
  DeploymentLogSchema,
  TelemetryBatchSchema,
  TelemetrySchema,
  ProcessHeartbeatSchema,
  StreamSeatSchema,
  WorkloadHostSchema,
  TenantDeletionLogSchema,
  TenantDeletionStepSchema,
  TenantDeletionSchema,
  TenantSchema,
  ExperimentTagSchema,
  RunDatasetSchema,
  RunModelSchema,
  TrackerDatasetSchema,
  LoggedModelArtifactSchema,
  LoggedModelMetricSchema,
  LoggedModelSchema,
  MetricKeySchema,
  MetricLatestSchema,
  MetricPointSchema,
  ParamSchema,
  RunArtifactSchema,
  TagSchema,
  TrackerExperimentSchema,
  TrackerRunSchema,
  TrainingExperimentSchema,
  LogChunkSchema,
  LogSegmentSchema,
  TrainingExportSchema,
  TrainingPresetSchema,
  TrainingStepSchema,
  HostSchema,
  WorkloadSchema,
  WorkloadLogSchema,
] as const;

/** Tables and columns as Kysely sees them: tables by their names in the database, columns by the entities' property names. */
export type Tables = InferKyselyDB<(typeof ENTITIES)[number], { columnNamingStrategy: 'property' }>;
