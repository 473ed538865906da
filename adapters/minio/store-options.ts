import { StoreCredentials } from '../library-patches/store-credentials.js';

export type ObjectStoreOptions = StorePlace & (LastingKeys | { readonly credentials: StoreCredentials });

interface StorePlace {
  /** Such as `http://127.0.0.1:9000`; the scheme decides about TLS. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** The bucket is part of the host name. */
  readonly isVirtualHost?: boolean;
}

interface LastingKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export const credentialsOf = (options: ObjectStoreOptions): StoreCredentials =>
  'credentials' in options
    ? options.credentials
    : new StoreCredentials(async () => ({
        ...{ accessKey: options.accessKey, secretKey: options.secretKey },
        expiresAt: null,
      }));
