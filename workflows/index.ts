/** Every workflow type of the platform; the bundle's root. Append here, by domain. */
export { maintenance } from './system/maintenance.workflow.js';
export { modelImage } from './images/model-image.workflow.js';
export { servingEndpoint } from './serving/serving-endpoint.workflow.js';
export { datasetUpload } from './datasets/dataset-upload.workflow.js';
export { datasetValidation } from './datasets/dataset-validation.workflow.js';
export { datasetSync } from './sources/dataset-sync.workflow.js';
export { promotion } from './registry/promotion.workflow.js';
export { trainingExperiment } from './training/training-experiment.workflow.js';
export { trainingExport } from './training/training-export.workflow.js';
export { tenantDeletion } from './tenants/tenant-deletion.workflow.js';
export { deployment } from './deployments/deployment.workflow.js';
