import { systemClock } from '../../core/ports/clock.js';
import type { CommandFollower } from '../../models/edge/commands/command-follower.js';
import {
  createHeartbeatWriter,
  createInferenceWriter,
  createTelemetryWriter,
} from '../../models/edge/device-writers.platform.js';
import type { DeviceFollower, InstalledFollower } from '../../models/edge/devices/device-follower.js';
import { ingestOptions } from '../../models/orm/database-options.js';
import { IngestDatabase } from '../../models/orm/ingest-database.js';
import { TenantLane } from '../../models/orm/tenant-lane.js';
import type { UploadSessions } from '../datasets/upload-sessions.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { CommandWaiters } from './command-waiters.js';
import { DeviceRemovalService } from './device-removal.service.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { EdgeAgentController } from './edge-agent.controller.js';
import { EdgeAgentService } from './edge-agent.service.js';
import { EdgeCommandsController } from './edge-commands.controller.js';
import { EdgeCommandsService } from './edge-commands.service.js';
import { EdgeIngestController } from './edge-ingest.controller.js';
import { EdgeIngestService } from './edge-ingest.service.js';
import { EdgeModelsController } from './edge-models.controller.js';
import { EdgeModelsService } from './edge-models.service.js';
import { EdgeUploadsController } from './edge-uploads.controller.js';
import { EdgeUploadsService } from './edge-uploads.service.js';
import { EdgeStreamController } from './edge-stream.controller.js';
import { RecordEvents } from './record-events.js';

/** Whoever gives work to devices, and follows what becomes of it. */
export interface EdgeFollowers {
  /** By type of command. */
  readonly commands: ReadonlyMap<string, CommandFollower>;
  readonly deletion: DeviceFollower;
  readonly installed: InstalledFollower;
}

/** Devices in the field: what people do with them, and what they send. */
export async function wireEdge(
  { db, events, listener, objects, settings }: ProcessResources,
  streams: EventStreams,
  sessions: UploadSessions,
  followers: EdgeFollowers,
): Promise<DomainPart> {
  const ingest = await IngestDatabase.open(ingestOptions(settings));
  const lanes = settings.SERVICE_DB_INGEST_POOL;
  const lane = new TenantLane(db, Math.floor(settings.SERVICE_DB_POOL / 2));
  const beats = createHeartbeatWriter(ingest, lanes);
  const devices = new DevicesService(db, settings.SERVICE_SECRET_KEYS, events, systemClock);
  const removals = new DeviceRemovalService(db, events, followers.deletion);
  const agent = new EdgeAgentService(lane, beats, events, systemClock, followers.installed);
  const waiters = new CommandWaiters(db, listener);
  const commands = new EdgeCommandsService(db, lane, waiters, events, systemClock, followers.commands);
  const records = new RecordEvents(events);
  const telemetry = createTelemetryWriter(ingest, lanes);
  const inference = createInferenceWriter(ingest, lanes);
  const ingestion = new EdgeIngestService(db, telemetry, inference, records);
  const models = new EdgeModelsService(lane, objects, new URL(settings.SERVICE_BASE_URL).host);
  const uploads = new EdgeUploadsService(db, sessions, events);
  return {
    controllers: [
      [DevicesController, () => new DevicesController(devices, removals)],
      [EdgeAgentController, () => new EdgeAgentController(agent)],
      [EdgeCommandsController, () => new EdgeCommandsController(commands)],
      [EdgeIngestController, () => new EdgeIngestController(ingestion)],
      [EdgeModelsController, () => new EdgeModelsController(models)],
      [EdgeUploadsController, () => new EdgeUploadsController(uploads)],
      [EdgeStreamController, () => new EdgeStreamController(devices, streams)],
    ],
    endWaiting: () => waiters.close(),
    async close() {
      records.close();
      await Promise.all([beats.close(), telemetry.close(), inference.close()]);
      await ingest.close();
    },
  };
}
