/** Agents of hosts listen here for new wishes. */
export const WORKLOADS_CHANNEL = 'visionops_workloads';
