/** Stages of a version of a model. */
export const stages = { None: 'None', Staging: 'Staging', Production: 'Production', Archived: 'Archived' };

export const lineage = {
  label: 'Lineage from the data to what serves and the devices',
  hint: 'Versions in Production and Staging, and the latest.',
  graph: 'Graph',
  list: 'List',
  kinds: {
    dataset: 'Dataset',
    training: 'Training',
    run: 'Run',
    version: 'Version',
    image: 'Image',
    endpoint: 'Endpoint',
    deployment: 'Deployment',
    deployments: 'More deployments',
    device: 'Device',
    devices: 'More devices',
  },
  madeOf: 'from',
  fit: 'Show all',
  digest: 'Digest of the data',
  newest: (drawn: number) => `The newest ${drawn} trainings and models are drawn.`,
  noEndpoint: 'No endpoint serves it yet.',
};
