import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TextType } from '@mikro-orm/core';
import { ENTITIES } from '../../models/orm/entities.js';
import { STATE_MACHINES } from '../../models/orm/state-guard.js';
import { statesBefore } from '../../models/orm/states-before.js';
import { ENTRY_STATES } from '../../models/sources/sync/dataset-sync.rules.js';

type Machine = Readonly<Record<string, readonly string[]>>;

const RUN = ['RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'];

/** As the contract has them, written by hand: nothing is taken from the product. */
const MACHINES: Readonly<Record<string, Machine>> = {
  'Dataset.status': {
    DRAFT: ['VALIDATING'],
    VALIDATING: ['DRAFT', 'FAILED', 'FROZEN'],
    FROZEN: ['DRAFT', 'VALIDATING'],
    FAILED: ['DRAFT', 'VALIDATING'],
  },
  'Dataset.validationStatus': {
    PENDING: ['RUNNING'],
    RUNNING: ['FAILED', 'PASSED', 'PENDING'],
    PASSED: ['PENDING', 'RUNNING'],
    FAILED: ['PENDING', 'RUNNING'],
  },
  'DatasetFile.status': {
    pending: ['invalid', 'valid'],
    valid: ['invalid', 'pending'],
    invalid: ['pending', 'valid'],
  },
  'DatasetUpload.state': {
    open: ['assembling', 'expired', 'failed'],
    assembling: ['done', 'failed'],
    done: [],
    failed: [],
    expired: [],
  },
  'DatasetSync.status': {
    queued: ['canceled', 'failed', 'running'],
    running: ['canceled', 'done', 'failed'],
    done: [],
    failed: [],
    canceled: [],
  },
  'DatasetSyncEntry.state': {
    planned: ['copied', 'failed', 'later'],
    copying: ['copied', 'failed', 'later'],
    later: ['copying'],
    copied: [],
    failed: [],
  },
  'TrainingExperiment.status': {
    QUEUED: ['CANCELED', 'FAILED', 'PREPARING'],
    PREPARING: ['CANCELED', 'FAILED', 'RUNNING'],
    RUNNING: ['CANCELED', 'FAILED', 'FINALIZING'],
    FINALIZING: ['CANCELED', 'FAILED', 'SUCCEEDED'],
    SUCCEEDED: [],
    FAILED: ['QUEUED'],
    CANCELED: ['QUEUED'],
  },
  'TrainingExport.status': {
    QUEUED: ['CANCELED', 'FAILED', 'RUNNING'],
    RUNNING: ['CANCELED', 'FAILED', 'SUCCEEDED'],
    SUCCEEDED: [],
    FAILED: [],
    CANCELED: [],
  },
  'TrainingStep.status': {
    pending: ['done', 'running', 'skipped'],
    running: ['done', 'failed'],
    done: [],
    failed: [],
    skipped: [],
  },
  'TrackerRun.status': Object.fromEntries(RUN.map((from) => [from, RUN.filter((to) => to !== from).sort()])),
  'LoggedModel.status': {
    PENDING: ['READY', 'UPLOAD_FAILED'],
    READY: ['PENDING', 'UPLOAD_FAILED'],
    UPLOAD_FAILED: ['PENDING', 'READY'],
  },
  'ModelVersion.stage': {
    None: ['Archived', 'Production', 'Staging'],
    Staging: ['Archived', 'None', 'Production'],
    Production: ['Archived', 'None', 'Staging'],
    Archived: ['None', 'Production', 'Staging'],
  },
  'Image.status': { BUILDING: ['FAILED', 'READY'], READY: [], FAILED: ['BUILDING'] },
  'Promotion.status': {
    PENDING_CHECKS: ['APPROVED', 'FAILED', 'WAITING_APPROVAL'],
    WAITING_APPROVAL: ['APPROVED', 'EXPIRED', 'FAILED', 'REJECTED'],
    APPROVED: ['APPLIED', 'FAILED'],
    APPLIED: ['ROLLED_BACK'],
    REJECTED: [],
    EXPIRED: [],
    FAILED: [],
    ROLLED_BACK: [],
  },
  'ServingEndpoint.status': {
    CREATING: ['CONNECTING', 'FAILED', 'STOPPED'],
    CONNECTING: ['FAILED', 'RUNNING', 'STOPPED'],
    RUNNING: ['DEGRADED', 'FAILED', 'STOPPED'],
    DEGRADED: ['FAILED', 'RUNNING', 'STOPPED'],
    FAILED: ['CONNECTING', 'STOPPED'],
    STOPPED: ['CONNECTING'],
  },
  'Workload.status': {
    pending: ['failed', 'running', 'stopped', 'succeeded'],
    running: ['failed', 'pending', 'stopped', 'succeeded'],
    succeeded: ['failed', 'stopped'],
    failed: ['pending', 'running', 'stopped'],
    stopped: ['pending'],
  },
  'EdgeCommand.state': {
    pending: ['delivered', 'expired', 'failed', 'succeeded'],
    delivered: ['expired', 'failed', 'pending', 'succeeded'],
    succeeded: [],
    failed: [],
    expired: [],
  },
  'Deployment.status': {
    PENDING: ['ABORTED', 'IN_PROGRESS'],
    IN_PROGRESS: ['ABORTED', 'FAILED', 'PAUSED', 'SUCCEEDED'],
    PAUSED: ['ABORTED', 'IN_PROGRESS'],
    SUCCEEDED: ['ROLLING_BACK'],
    FAILED: ['IN_PROGRESS', 'ROLLING_BACK'],
    ABORTED: [],
    ROLLING_BACK: ['FAILED', 'ROLLED_BACK'],
    ROLLED_BACK: [],
  },
  'DeploymentDevice.step': {
    queued: ['canceled', 'downloading', 'failed', 'installing', 'succeeded', 'verifying'],
    downloading: ['canceled', 'failed', 'installing', 'queued', 'succeeded', 'verifying'],
    installing: ['canceled', 'downloading', 'failed', 'queued', 'succeeded', 'verifying'],
    verifying: ['canceled', 'downloading', 'failed', 'installing', 'queued', 'succeeded'],
    succeeded: ['queued'],
    failed: ['canceled', 'queued'],
    canceled: ['queued'],
  },
  'TenantDeletion.status': {
    pending: ['failed', 'running'],
    running: ['done', 'failed'],
    done: [],
    failed: ['running'],
  },
  'TenantDeletionStep.status': {
    pending: ['running'],
    running: ['done', 'failed'],
    done: [],
    failed: ['pending'],
  },
};

/** Lists of states without steps of their own, and why. */
const WITHOUT_MACHINE = {
  REPORTED_STEPS: 'steps of a device that it reports itself; all of them are above',
  ACK_STATUSES: 'what a device says of a command, whose states are above',
  EDGE_UPLOAD_STATES: 'how devices see the states of a dataset upload, which are above',
  DELETION_STATUSES: 'of the deletion and of its steps: both above',
};

/** Columns that are called as a state is and have no table, and why. */
const COLUMNS_WITHOUT_MACHINE = {
  'Deployment.wish': 'what people asked for last',
  'ServingEndpoint.wish': 'what people asked for last',
  'Workload.wish': 'what was asked for last; the next look at the row follows it, whatever was before',
  'TrackerRun.lifecycle': 'deleted and restored as often as people want',
  'TrackerExperiment.lifecycle': 'deleted and restored as often as people want',
  'LoggedModel.lifecycle': 'deleted for good: a deleted one is not found any more',
  'DeploymentDevice.failedStep': 'the step that failed; its own steps are above',
  'DeploymentLog.step': 'a line of a history, which never changes',
  'TenantDeletionLog.step': 'a line of a history, which never changes',
  'ModelStageChange.fromStage': 'a line of a history, which never changes',
  'ModelStageChange.toStage': 'a line of a history, which never changes',
  'Promotion.fromStage': 'where its version stood before; written once',
};
const IS_STATE = /^(status|state|stage|step|phase|wish|lifecycle)$|(Status|State|Stage|Step|Phase)$/;

const tableOf = (machine: (typeof STATE_MACHINES)[number][2]): Machine =>
  Object.fromEntries(
    machine.states.map((from) => [from, machine.states.filter((to) => machine.may(from, to)).sort()]),
  );

describe('state machines', () => {
  const found = new Map(
    STATE_MACHINES.map(([entity, property, machine]) => [
      `${(entity as { name: string }).name}.${property}`,
      machine,
    ]),
  );

  it('are all in the table above', () =>
    expect([...found.keys()].sort()).toEqual(Object.keys(MACHINES).sort()));

  it.each(Object.entries(MACHINES))(
    '%s goes from each state exactly where the contract leads',
    (name, table) => {
      const machine = found.get(name);
      expect(machine && tableOf(machine)).toEqual(table);
      // Nothing but a final state is a dead end.
      for (const [state, next] of Object.entries(table))
        expect(machine?.isFinal(state)).toBe(next.length === 0);
    },
  );

  it('cover every column that is called as a state is', () => {
    const columns = ENTITIES.map((schema) => schema.init().meta).flatMap(({ className, props }) =>
      props
        .filter(({ name, type }) => Object.is(type, TextType) && IS_STATE.test(name))
        .map(({ name }) => `${className}.${name}`),
    );
    const covered = [...Object.keys(MACHINES), ...Object.keys(COLUMNS_WITHOUT_MACHINE)];
    expect(columns.sort()).toEqual(covered.sort());
  });

  it('say to bulk statements where they may lead from', () => {
    expect(statesBefore(ENTRY_STATES, 'copied', 'failed')).toBe("('planned', 'copying')");
    expect(statesBefore(ENTRY_STATES, 'later')).toBe("('planned', 'copying')");
    expect(statesBefore(ENTRY_STATES, 'copying')).toBe("('later')");
  });

  it('cover every list of states that a domain declares', () => {
    const models = join(process.cwd(), 'models');
    const known = new Set(Object.values(MACHINES).map((table) => Object.keys(table).sort().join()));
    const lists = readdirSync(models, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.types.ts'))
      .flatMap((path) => [
        ...readFileSync(join(models, path), 'utf8').matchAll(
          /const (\w+_(?:STATUSES|STATES)) = \[([^\]]*)\] as const/g,
        ),
      ]);
    expect(lists.length).toBeGreaterThanOrEqual(10);
    const uncovered = lists.filter(([, name = '', states = '']) => {
      const listed = [...states.matchAll(/'(\w+)'/g)].map(([, state]) => state).sort();
      return !known.has(listed.join()) && !(name in WITHOUT_MACHINE);
    });
    expect(uncovered.map(([, name]) => name)).toEqual([]);
  });
});
