import { createObjectStore, type ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';

/** The object store that a platform uses. @param env the environment of one of its processes */
export const platformStore = (env: NodeJS.ProcessEnv): ManagedObjectStore =>
  createObjectStore({
    endpoint: env.S3_ENDPOINT as string,
    region: env.S3_REGION ?? 'us-east-1',
    accessKey: env.S3_ACCESS_KEY as string,
    secretKey: env.S3_SECRET_KEY as string,
    bucket: env.S3_BUCKET ?? 'visionops',
  });
