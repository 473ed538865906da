export const page = {
  tabs: { overview: 'Overview', devices: 'Devices', log: 'Log' },
  counts: 'Devices by step',
  progress: 'Progress',
  steps: 'Steps',
  stepNames: {
    queued: 'Queued',
    downloading: 'Downloading',
    installing: 'Installing',
    verifying: 'Verifying',
    succeeded: 'Succeeded',
    failed: 'Failed',
    canceled: 'Not asked',
  },
  stepStates: { pending: 'to come', running: 'under way', done: 'done', failed: 'failed' },
  stepCounts: (at: number, done: number, failed: number) =>
    `${at.toLocaleString('en')} now, ${done.toLocaleString('en')} done${failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''}`,
  groups: 'Groups',
  group: {
    number: 'Group',
    status: 'State',
    size: 'Devices',
    progress: 'Succeeded',
    failed: 'Failed',
    goesOn: 'Goes on at',
    ends: 'Fails above',
  },
  groupLabel: (number: number) => `Group ${number}`,
  ofSize: (done: number, size: number) => `${done.toLocaleString('en')} of ${size.toLocaleString('en')}`,
  percent: (value: number) => `${value} %`,
  facts: {
    version: 'Version',
    licence: 'Licence',
    target: 'For',
    strategy: 'Strategy',
    strategies: { replace: 'all at once', canary: 'a few first' },
    previous: 'A rollback installs',
    previousOwn: 'what was there before',
    image: 'Image',
    window: 'Devices begin',
    anyTime: 'at any time',
    conditions: 'Rolled back by itself while',
    noConditions: 'never',
    watched: 'watched now',
    digest: 'Data of the version',
    by: 'Requested by',
    created: 'Requested',
    started: 'Started',
    finished: 'Ended',
    id: 'Id',
  },
  window: (from: string, to: string, tz: string) => `between ${from} and ${to}, ${tz}`,
  devices: {
    label: 'Devices of the deployment',
    device: 'Device',
    group: 'Group',
    step: 'Step',
    message: 'What it says',
    from: 'Before',
    to: 'Gets',
    nothing: 'nothing',
    back: (version: number) => `${version} (back)`,
    started: 'Began',
    finished: 'Ended',
    logOf: (device: string) => `Log of ${device}`,
    empty: 'This deployment has no devices.',
  },
  log: {
    step: 'Step',
    all: 'All steps',
    device: 'Device',
    allDevices: 'All devices',
    empty: 'Nothing like that was logged.',
    label: (name: string) => `Log of ${name}`,
    latest: (shown: string, total: string) => `the latest ${shown} of ${total} lines`,
  },
};

const ABORT_HINT =
  'Devices that have not begun are not asked any more; those that have begun end what they do and keep it. An aborted deployment cannot go on and cannot be rolled back.';

export const control = {
  many: (deployments: number, only: string) => (deployments === 1 ? only : `${deployments} deployments`),
  bulk: {
    pause: {
      action: 'Pause',
      title: (which: string) => `Pause ${which}?`,
      hint: 'No further device is asked until they are resumed.',
      none: 'None of the chosen deployments is in progress.',
    },
    resume: {
      action: 'Resume',
      title: (which: string) => `Resume ${which}?`,
      hint: 'They go on where they were paused.',
      none: 'None of the chosen deployments is paused.',
    },
    'retry-failed': {
      action: 'Try again',
      title: (which: string) => `Ask the failed devices of ${which} again?`,
      hint: 'Devices that failed are asked again, and those that were not asked any more.',
      none: 'None of the chosen deployments has failed.',
    },
    abort: {
      action: 'Abort',
      title: (which: string) => `Abort ${which}?`,
      hint: ABORT_HINT,
      none: 'None of the chosen deployments is under way.',
    },
  },
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Abort',
  abortTitle: (name: string) => `Abort the deployment of ${name}?`,
  abortHint: ABORT_HINT,
  retry: 'Retry failed',
  retryTitle: (name: string) => `Ask the devices of ${name} again?`,
  retryHint: (failed: number) =>
    failed === 1
      ? 'The 1 device that failed is asked again, and those that were not asked any more.'
      : `The ${failed.toLocaleString('en')} devices that failed are asked again, and those that were not asked any more.`,
  rollback: 'Roll back',
  rollbackTitle: (name: string) => `Roll back ${name}?`,
  rollbackHint: 'At once and on all devices together, whatever the maintenance window says:',
  rollbackNone: 'No device has begun: there is nothing to go back from.',
  goBack: (count: number, from: number, to: number) =>
    `${devices(count)} from version ${from} to version ${to}`,
  stay: (count: number, version: number) =>
    `${devices(count)} with version ${version} as before: the version before is not known, or there no more`,
  wayBack: 'Which version goes back to which',
};

const devices = (count: number): string =>
  count === 1 ? '1 device' : `${count.toLocaleString('en')} devices`;
