import type { HostFacts } from './host.types.js';

/**
 * Who brought what a workload executes. `platform`: a runtime that is shipped with the platform, and models that such a
 * runtime trained, which are stored as data and hold no code. `tenant`: whatever else, such as an image, a program or
 * requirements of its own, or a model that can only be loaded by executing it (a pickle).
 */
export type ProgramOrigin = 'platform' | 'tenant';

/**
 * Where workloads share the platform's user they can read its secrets: what a tenant brought does not run there.
 * @returns the reason with the next step, or null
 */
export const originProblem = (
  origin: ProgramOrigin,
  { kind }: Pick<HostFacts['isolation'], 'kind'>,
): string | null =>
  origin === 'tenant' && kind === 'none'
    ? "It runs a program that its tenant brought, or a model that no training here made, and workloads run here as the platform's own user, who can read its secrets: it needs a host that gives each tenant a user of its own (a worker as root on Linux)."
    : null;
