import { Membership, User } from '../accounts/user.entity.js';
import { Dataset, DatasetFile, DatasetUpload, DatasetVersion } from '../datasets/dataset.entity.js';
import { Image, ImageBlob, ImageManifest } from '../images/image.entity.js';
import { Model, ModelStageChange, ModelVersion } from '../registry/model.entity.js';
import { ServingEndpoint } from '../serving/serving.entity.js';
import { DatasetSource, ExternalSource } from '../sources/external-source.entity.js';
import { DatasetSync } from '../sources/dataset-sync.entity.js';
import { Tenant } from '../tenants/tenant.entity.js';
import { TrainingExperiment } from '../training/experiment.entity.js';

/** Every entity of the platform, by domain. Append here; nothing is discovered by folder. */
export const ENTITIES = [
  User,
  Membership,
  Tenant,
  Dataset,
  DatasetFile,
  DatasetUpload,
  DatasetVersion,
  ExternalSource,
  DatasetSource,
  DatasetSync,
  Model,
  ModelVersion,
  ModelStageChange,
  Image,
  ImageBlob,
  ImageManifest,
  ServingEndpoint,
  TrainingExperiment,
] as const;
