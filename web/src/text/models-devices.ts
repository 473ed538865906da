export const devices = {
  title: 'Devices that have it',
  device: 'Device',
  status: 'State',
  location: 'Location',
  heartbeat: 'Last heartbeat',
  none: 'No device has this version installed.',
  byVersion: 'Devices by version',
  version: 'Version',
  count: 'Devices',
  modelNone: 'No device has a version of this model installed.',
  all: (total: number) => `All ${total.toLocaleString('en')} devices`,
};
