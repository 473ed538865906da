import type { Settings } from '../../core/config/settings.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Clock } from '../../core/ports/clock.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { KeptMails } from '../../core/ports/kept-mails.js';
import type { MultipartStore, ObjectStore, UnfinishedUploads } from '../../core/ports/object-store.js';
import type { OperatorWeights } from '../../core/ports/operator-weights.js';
import type { RemoteFiles, RemoteSource } from '../../core/ports/remote-source.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import type { WorkflowHistories } from '../../core/ports/workflow-histories.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Listener } from '../../models/orm/listener.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { StalledKind } from '../system/stalled-work.js';
import type { WorkloadLogs } from '../workloads/workload-logs.js';
import type { BackgroundLoop } from './background.js';
import type { MaintenanceTask } from './maintenance-task.js';

/** What a domain's part of the worker may ask for; each factory takes the part it needs. */
export interface WorkerDeps {
  readonly settings: Settings;
  readonly database: Database;
  readonly listener: Listener;
  readonly states: StateWaits;
  readonly objects: ObjectStore & MultipartStore & UnfinishedUploads;
  readonly events: EventBus;
  readonly remote: RemoteSource & RemoteFiles;
  readonly weights: OperatorWeights;
  readonly engine: WorkflowEngine;
  readonly histories: WorkflowHistories;
  readonly mails: KeptMails;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a domain brings into the worker. */
export interface DomainWork {
  /** By name; names are unique across domains. */
  readonly activities?: object;
  /** How its active rows end whose workflow is gone: as the workflow itself would have ended them. */
  readonly stalled?: readonly StalledKind[];
  /** Where what its workloads print goes; asked on the hosts that run them. */
  readonly workloadLogs?: WorkloadLogs;
  /** What the hourly housekeeping runs for it. */
  readonly maintenance?: readonly MaintenanceTask[];
  /** What runs as long as the worker does. */
  readonly loops?: readonly BackgroundLoop[];
}
