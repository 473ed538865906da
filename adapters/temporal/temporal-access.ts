import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import { type Settings, SettingsError } from '../../core/config/settings.js';

/** Where Temporal is and how one signs in there; taken alike by the connections of clients and of workers. */
export interface TemporalAccess {
  /** host:port of the frontend. */
  readonly address: string;
  /** Absent: plain text. */
  readonly tls?: TLSConfig;
  readonly apiKey?: string;
}

type Given = Pick<
  Settings,
  | 'TEMPORAL_ADDRESS'
  | 'SERVICE_TEMPORAL_TLS'
  | 'SERVICE_TEMPORAL_TLS_CA'
  | 'SERVICE_TEMPORAL_TLS_CERT'
  | 'SERVICE_TEMPORAL_TLS_KEY'
  | 'SERVICE_TEMPORAL_TLS_SERVER_NAME'
  | 'SERVICE_TEMPORAL_API_KEY'
>;

/** @throws SettingsError when a named file cannot be read */
export function temporalAccess(settings: Given): TemporalAccess {
  const {
    SERVICE_TEMPORAL_TLS_CA: ca,
    SERVICE_TEMPORAL_TLS_CERT: cert,
    SERVICE_TEMPORAL_TLS_KEY: key,
  } = settings;
  const { SERVICE_TEMPORAL_TLS_SERVER_NAME: name, SERVICE_TEMPORAL_API_KEY: apiKey } = settings;
  const isNamed = [ca, cert, key, name, apiKey].some((value) => value !== undefined);
  const tls: TLSConfig = {
    ...(ca === undefined ? {} : { serverRootCACertificate: read('SERVICE_TEMPORAL_TLS_CA', ca) }),
    ...(name === undefined ? {} : { serverNameOverride: name }),
    ...(cert === undefined || key === undefined
      ? {}
      : {
          clientCertPair: {
            crt: read('SERVICE_TEMPORAL_TLS_CERT', cert),
            key: read('SERVICE_TEMPORAL_TLS_KEY', key),
          },
        }),
  };
  return {
    address: settings.TEMPORAL_ADDRESS,
    ...((settings.SERVICE_TEMPORAL_TLS ?? isNamed) ? { tls } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SettingsError([
      `${name}: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
    ]);
  }
}
