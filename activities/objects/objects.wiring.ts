import type { DomainWork, WorkerDeps } from '../support/domain-work.js';
import { createOrphanedObjectSweeper } from './orphaned-object-sweeper.platform.js';

export const wireObjects = (deps: WorkerDeps): DomainWork => ({
  loops: [createOrphanedObjectSweeper(deps, deps.listener)],
});
