import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { operationsOf } from './started-work.js';

/** Operations that start a workflow and are let through however much waits, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  DatasetFiles_Upload: 'All files of a dataset share one validation, which begins once they rest.',
  DatasetFiles_Remove: 'What deletes makes room.',
  DeploymentControl_Abort: 'What stops makes room.',
  DeploymentControl_Pause: 'What stops makes room.',
  DeploymentControl_Resume: 'It wakes the workflow that there is; only its service can start one.',
  DeploymentControl_Rollback: 'A version that does harm must leave its devices now.',
  Serving_Stop: 'What stops makes room.',
  Serving_Remove: 'What deletes makes room.',
  TenantDeletions_Request: 'What deletes makes room.',
  TenantDeletions_Retry: 'What deletes makes room.',
};

describe('operations that start long work', () => {
  const operations = operationsOf(fileURLToPath(new URL('../..', import.meta.url)));

  it('are marked beside their route, so that the backlog guard stands before them', () => {
    const starting = operations.filter(({ starts }) => starts).map(({ name }) => name);
    const marked = operations.filter(({ isMarked }) => isMarked).map(({ name }) => name);
    expect([...marked, ...Object.keys(EXCEPTIONS)].sort()).toEqual(starting.sort());
  });
});
