import { fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { type Page, toListQuery } from '../../core/paging/page.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import type { Actor } from '../../models/audit/audit.types.js';
import { requireFilePath } from '../../models/datasets/files/file-path.rules.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import { requireDevice } from '../../models/edge/devices/device.queries.js';
import { chooseDataset, recordEdgeUpload } from '../../models/edge/uploads/edge-upload.commands.js';
import {
  findOwnUpload,
  listEdgeUploads,
  type OwnUpload,
} from '../../models/edge/uploads/edge-upload.queries.js';
import type { EdgeUploadRow } from '../../models/edge/uploads/edge-upload.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { ChunkBody, UploadSessions, UploadState } from '../datasets/upload-sessions.js';
import type { Caller } from '../http/routing/request-context.js';
import { uploadEvent } from './edge-events.js';
import type { TransferQuery, UploadInit } from './edge-uploads.schemas.js';

const MAX_META_CHARS = 16_384;

/** A session with what the device said of it. */
export type DeviceUpload = UploadState & Pick<OwnUpload, 'kind' | 'meta'>;

/** Uploads of devices: sessions of datasets, each opened by one device and seen by no other. */
export class EdgeUploadsService {
  constructor(
    private readonly db: Database,
    private readonly sessions: UploadSessions,
    private readonly events: EventBus,
  ) {}

  list(caller: Caller, key: string, query: TransferQuery): Promise<Page<EdgeUploadRow>> {
    const list = toListQuery(query, ['created_at'], 'desc');
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const { id } = await requireDevice(tx, key);
      return listEdgeUploads(tx, id, list, query.state ?? null);
    });
  }

  async open(device: DeviceCaller, actor: Actor, body: UploadInit): Promise<DeviceUpload> {
    const { kind, meta = {} } = body;
    if (JSON.stringify(meta).length > MAX_META_CHARS)
      throw unprocessable([fieldError(['body', 'meta'], 'must be at most 16 KiB of JSON')]);
    // Before a dataset is made for it, and before one is looked for.
    requireFilePath(body.filename, ['body', 'filename']);
    const said = { kind: kind ?? 'file', meta };
    const dataset = await this.db.inTenant(device.tenantId, (tx) =>
      chooseDataset(tx, actor, device.key, body.dataset_id ?? null),
    );
    const opened = await this.sessions.open({ tenant: device, actor }, dataset, {
      filename: body.filename,
      size: body.size,
      sha256: body.sha256 ?? null,
      chunkSize: body.chunk_size ?? null,
    });
    await this.db.inTenant(device.tenantId, (tx) =>
      recordEdgeUpload(tx, device.key, { id: opened.upload.id, ...said }),
    );
    this.announce(device, opened);
    return { ...opened, ...said };
  }

  async read(device: DeviceCaller, actor: Actor, uploadId: string): Promise<DeviceUpload> {
    const { datasetKey, ...said } = await this.own(device, uploadId);
    return { ...(await this.sessions.read({ tenant: device, actor }, datasetKey, uploadId)), ...said };
  }

  async putChunk(
    device: DeviceCaller,
    actor: Actor,
    uploadId: string,
    index: number,
    body: ChunkBody,
  ): Promise<{ size: number }> {
    const { datasetKey } = await this.own(device, uploadId);
    const caller = { tenant: device, actor };
    const taken = await this.sessions.putChunk(caller, datasetKey, uploadId, index, body);
    this.announce(device, await this.sessions.read(caller, datasetKey, uploadId));
    return taken;
  }

  async complete(device: DeviceCaller, actor: Actor, uploadId: string): Promise<DeviceUpload> {
    const { datasetKey, ...said } = await this.own(device, uploadId);
    const completed = await this.sessions.complete({ tenant: device, actor }, datasetKey, uploadId);
    this.announce(device, completed);
    return { ...completed, ...said };
  }

  private async own(device: DeviceCaller, uploadId: string): Promise<OwnUpload> {
    const found = await this.db.inTenant(device.tenantId, (tx) =>
      findOwnUpload(tx, device.deviceId, uploadId),
    );
    if (!found) throw notFound('Upload session');
    return found;
  }

  private announce(device: DeviceCaller, { upload, received }: UploadState): void {
    const state = upload.state === 'expired' ? 'failed' : upload.state;
    this.events.publish([uploadEvent(device, upload.id, state, received.length)]);
  }
}
