import type { Settings } from '../../core/config/settings.js';
import type { storeSettings } from '../../core/config/store-settings.js';
import { keysOfFile } from './credentials-file.js';
import { createObjectStore, type ManagedObjectStore } from './minio-object-store.js';
import { StoreCredentials, type StoreKeys } from '../library-patches/store-credentials.js';
import { assumeRole } from './web-identity.js';

/** Temporary keys from the environment do not say when they end; addresses made with them live no longer than this. */
const UNKNOWN_LIFE_MS = 3600_000;

export type StoreSettings = Pick<
  Settings,
  'S3_ENDPOINT' | 'S3_REGION' | 'S3_BUCKET' | keyof typeof storeSettings
>;

/** The object store that the settings name. */
export const openObjectStore = (settings: StoreSettings): ManagedObjectStore =>
  createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    isVirtualHost: settings.S3_ADDRESSING === 'virtual',
    credentials: new StoreCredentials(keysOf(settings)),
  });

/** The first way to sign in that is named, in the order of the settings. */
function keysOf(settings: StoreSettings): () => Promise<StoreKeys> {
  const { S3_ACCESS_KEY, S3_SECRET_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } =
    settings;
  if (S3_ACCESS_KEY && S3_SECRET_KEY)
    return async () => ({ accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY, expiresAt: null });
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)
    return async () => ({
      ...{ accessKey: AWS_ACCESS_KEY_ID, secretKey: AWS_SECRET_ACCESS_KEY },
      ...(AWS_SESSION_TOKEN
        ? { sessionToken: AWS_SESSION_TOKEN, expiresAt: new Date(Date.now() + UNKNOWN_LIFE_MS) }
        : { expiresAt: null }),
    });
  const { AWS_ROLE_ARN: roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_REGION: region } = settings;
  const sts = region ? `https://sts.${region}.amazonaws.com` : 'https://sts.amazonaws.com';
  if (roleArn && tokenFile)
    return () => assumeRole({ roleArn, tokenFile, endpoint: settings.AWS_ENDPOINT_URL_STS ?? sts });
  return () => keysOfFile(settings.AWS_SHARED_CREDENTIALS_FILE ?? '', settings.AWS_PROFILE);
}
