import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Settings, SettingsError } from '../../core/config/settings.js';
import type { RemoteSourceOptions } from './http-remote-source.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whom sources may be called at and whose certificates count. @throws SettingsError when the named file holds no certificates */
export function outboundAccess(
  settings: Pick<Settings, 'SERVICE_OUTBOUND_ALLOW' | 'SERVICE_OUTBOUND_CA'>,
): Pick<RemoteSourceOptions, 'allow' | 'authorities'> {
  const { SERVICE_OUTBOUND_ALLOW: allow, SERVICE_OUTBOUND_CA: file } = settings;
  return { allow, authorities: file === undefined ? null : readAuthorities(file) };
}

function readAuthorities(file: string): string {
  const problem = (text: string) => new SettingsError([`SERVICE_OUTBOUND_CA: ${text}`]);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw problem(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw problem('the file holds no certificate in PEM form');
  try {
    for (const certificate of found) new X509Certificate(certificate);
  } catch {
    throw problem('the file holds a certificate that cannot be read');
  }
  return text;
}
