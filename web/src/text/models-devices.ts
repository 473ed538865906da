export const devices = {
  title: 'Devices that have it',
  device: 'Device',
  status: 'State',
  location: 'Location',
  heartbeat: 'Last heartbeat',
  none: 'No device has this version installed.',
  all: (total: number) => `All ${total.toLocaleString('en')} devices`,
};
