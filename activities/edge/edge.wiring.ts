import { removeLeftRecords, announceExpiringDeviceTokens } from '../../models/edge/fleet.platform.js';
import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { inBatches } from '../support/in-batches.platform.js';
import { createCommandSettler } from './command-settler.js';

export const wireEdge = ({ database, clock, events }: WorkerDeps): DomainWork => ({
  maintenance: [
    inBatches(database, 'records-of-deleted-devices', removeLeftRecords),
    inBatches(database, 'expiring-device-tokens', (tx) => announceExpiringDeviceTokens(tx, clock.now())),
  ],
  loops: [createCommandSettler(database, events)],
});
