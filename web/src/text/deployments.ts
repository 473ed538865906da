import { control, page } from './deployment-page';
import { fresh } from './new-deployment';

export const deployments = {
  title: 'Deployments',
  label: 'Deployments',
  create: 'New deployment',
  empty: 'No model was deployed to devices yet. A deployment brings a version to devices, group by group.',
  name: (model: string, version: number) => `${model} v${version}`,
  columns: {
    name: 'Version',
    status: 'State',
    progress: 'Progress',
    devices: 'Devices',
    target: 'Target',
    message: 'What happens',
    by: 'Requested by',
    created: 'Requested',
  },
  status: 'State',
  model: 'Model',
  /** What a deployment is for, in few words. */
  targets: {
    device: (id: string) => id,
    all: 'all devices',
    ids: (count: number) => (count === 1 ? '1 named device' : `${count.toLocaleString('en')} named devices`),
    location: (location: string) => `at ${location}`,
    os: (os: string) => `with ${os}`,
    current: (version: number) => `with version ${version}`,
  },
  ofDevice: 'Deployments',
  ofDeviceNone: 'No model was deployed to this device yet.',
  ofVersion: 'Deployments of this version',
  ofVersionNone: 'This version was not deployed to devices yet.',
  allOfDevice: 'All of them',
  deploy: 'Deploy to devices',
  deployHere: 'Deploy a model',
  deployChosen: (count: number) => `Deploy to ${count}`,
  onlyDevice: (id: string) => `Of the device ${id} alone.`,
  fresh,
  page,
  control,
};
