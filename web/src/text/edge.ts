import { commands, deviceActions, devicePage, feeds } from './edge-device';
import { policy, token, uploads } from './edge-settings';

export const edge = {
  title: 'Fleet',
  label: 'Devices',
  empty: 'No device is registered yet. A device calls with a token of its own, and shows here how it is.',
  all: 'All devices',
  countsLabel: 'Devices by state',
  health: (count: number, status: string) => `${count.toLocaleString('en')} ${status.toLowerCase()}`,
  healthNone: 'No devices',
  countOf: (what: string, count: number) => `${what} (${count.toLocaleString('en')})`,
  deployments: 'Deployments',
  columns: {
    id: 'Device',
    status: 'State',
    location: 'Location',
    os: 'System',
    agent: 'Agent',
    load: 'Load',
    policy: 'Policy',
    runs: 'Installed',
    created: 'Registered',
    heartbeat: 'Last heartbeat',
  },
  loads: { cpu: 'CPU', mem: 'Mem', disk: 'Disk' },
  statusHints: {
    ACTIVE: 'Its heartbeats arrive in time.',
    STALE: 'Three heartbeats or more are missing.',
    OFFLINE: 'Ten heartbeats or more are missing.',
    PENDING: 'It has not called yet.',
    BLOCKED: 'Every call of it is refused until somebody unblocks it.',
  },
  policyStates: {
    applied: (revision: number) => `Revision ${revision}`,
    behind: (applied: number, revision: number) => `Revision ${applied} of ${revision}`,
    unsaid: 'not said',
    unsaidHint: (revision: number) =>
      `The policy is at revision ${revision}; the device has not said what it follows.`,
  },

  register: {
    action: 'Register a device',
    title: 'Register a device',
    doneTitle: (id: string) => `The token of ${id}`,
    id: 'Id',
    idHint: 'Chosen by you, for good: letters, digits, points, hyphens and underscores.',
    idBad: '1 to 128 letters, digits, points, hyphens or underscores, beginning with a letter or digit',
    location: 'Location',
    locationHint: 'Optional; devices are found and chosen by it.',
    scopes: 'What its token may do',
    make: 'Register',
  },

  device: devicePage,
  actions: deviceActions,
  feeds,
  commands,
  policy,
  uploads,
  token,
};
