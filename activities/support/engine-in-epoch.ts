import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import { idInEpoch } from '../../models/outbox/workflow-epoch.js';

/** The engine, to whom work is named by its id in the installation's epoch. */
export function engineInEpoch(engine: WorkflowEngine, readEpoch: () => Promise<number>): WorkflowEngine {
  // A restore needs every process to have ended: what was read once holds.
  let known: Promise<number> | null = null;
  const named = async (workflowId: string): Promise<string> => {
    known ??= readEpoch();
    try {
      return idInEpoch(workflowId, await known);
    } catch (error) {
      known = null;
      throw error;
    }
  };
  return {
    start: async (request) => engine.start({ ...request, workflowId: await named(request.workflowId) }),
    signal: async (workflowId, signal, args, key) =>
      engine.signal(await named(workflowId), signal, args, key),
    signalWithStart: async (request, signal, args, key) =>
      engine.signalWithStart({ ...request, workflowId: await named(request.workflowId) }, signal, args, key),
    reach: () => engine.reach(),
    cancel: async (workflowId) => engine.cancel(await named(workflowId)),
    isOpen: async (workflowId) => engine.isOpen(await named(workflowId)),
  };
}
