import type { TenantTransaction } from '../../orm/transaction.js';
import { requireDevice } from '../devices/device.queries.js';
import type { Feed, FeedQuery } from '../feeds/record-feed.rules.js';
import { readFeed } from '../feeds/record-feed.sql.js';

export interface HeartbeatRow {
  readonly id: number;
  readonly receivedAtUs: number;
  readonly receivedAt: Date;
  readonly cpu: number | null;
  readonly gpu: number | null;
  readonly mem: number | null;
  readonly disk: number | null;
  readonly payload: Record<string, unknown>;
}

/** Heartbeats of a device, newest first. @throws AppError not_found */
export async function listHeartbeats(
  tx: TenantTransaction,
  key: string,
  query: FeedQuery,
): Promise<Feed<HeartbeatRow>> {
  const { number: device } = await requireDevice(tx, key);
  const kind = {
    table: 'edge_heartbeat',
    retained: 'logs',
    columns: 'r.cpu, r.gpu, r.mem, r.disk, r.payload',
    isMeasured: false,
  } as const;
  return readFeed<HeartbeatRow>(tx, kind, { device, ownDays: null, kind: null }, query);
}
