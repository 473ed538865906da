import type { Settings } from '../../core/config/settings.js';
import { createObjectStore, type ManagedObjectStore } from './minio-object-store.js';

/** The object store that the settings name. */
export const openObjectStore = (settings: Settings): ManagedObjectStore =>
  createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
    bucket: settings.S3_BUCKET,
  });
