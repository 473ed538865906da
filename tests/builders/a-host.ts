import { randomUUID } from 'node:crypto';
import type { HostFacts, HostIdentity } from '../../models/workloads/host.types.js';

/** A host of 8 GiB that trains as much as fits. */
export const aHost = (over: Partial<HostIdentity> = {}): HostIdentity => ({
  id: randomUUID(),
  name: 'host-of-test',
  address: '10.0.0.7',
  dataDir: '/data',
  memoryBytes: 8 * 2 ** 30,
  maxJobs: null,
  startedAt: new Date(),
  ...over,
});

/** It runs scikit-learn, and each tenant has a user of its own. */
export const ABLE: HostFacts = {
  orchestrator: 'process',
  isolation: { kind: 'uid', explanation: 'Each tenant has a user of its own.' },
  gpuSlots: 0,
  runtimes: [{ runtime: 'sklearn', available: true, reason: null }],
};
