import type { CommandRow } from '../../models/edge/commands/command.queries.js';
import type { DeliveredCommand } from '../../models/edge/commands/command.types.js';
import { iso } from './devices.mapper.js';
import type { CommandOut, DeliveredCommandsOut } from './edge-commands.schemas.js';

export const toCommandOut = (row: CommandRow): CommandOut => ({
  id: row.id,
  type: row.type,
  args: row.args,
  state: row.state,
  expires_at: iso(row.expiresAt),
  deliveries: row.deliveries,
  delivered_at: iso(row.deliveredAt),
  progress: row.progress,
  result: row.result,
  finished_at: iso(row.finishedAt),
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toDeliveredOut = (commands: readonly DeliveredCommand[]): DeliveredCommandsOut => ({
  items: commands.map(({ id, type, args, createdAt, expiresAt, leaseUntil, deliveries }) => ({
    ...{ id, type, args, deliveries },
    created_at: createdAt.toISOString(),
    expires_at: iso(expiresAt),
    lease_until: leaseUntil.toISOString(),
  })),
  total: commands.length,
});
