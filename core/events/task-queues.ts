/** Workflows and short activities (rows, starts, mails): many at a time. */
export const CONTROL_QUEUE = 'control';
/** Activities that move or read many bytes: few at a time. Workflows choose it by `proxyActivities({ taskQueue })`. */
export const DATA_QUEUE = 'data';
/** The same where it takes longer than seconds: large uploads, which must not keep the others waiting. */
export const LONG_DATA_QUEUE = 'data-long';
/** Activities that read from sources of tenants, whose pace the platform cannot choose: apart from the platform's own data work. */
export const SYNC_QUEUE = 'sync';
/** The same where it takes longer than seconds: large files and slow sources. */
export const LONG_SYNC_QUEUE = 'sync-long';
/** Activities of trainings that 0.1 began, which named the machine that runs the job. */
export const workloadQueue = (host: string): string => `workload-${host}`;
