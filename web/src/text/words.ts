/** The words of each area. Built so that a page loads those of its own area alone. */
export { admin } from './admin';
export { conditions } from './conditions';
export { datasets } from './datasets';
export { deployments } from './deployments';
export { edge } from './edge';
export { errors, lists, shared, units } from './shared';
export { frame } from './frame';
export { home } from './home';
export { lineage, stages } from './lineage';
export { models } from './models';
export { people } from './people';
export { serving } from './serving';
export { sources, usage } from './sources';
export { training } from './training';
