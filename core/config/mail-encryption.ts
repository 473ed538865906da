const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
const YES = /^(true|yes|y|1)$/i;
const NO = /^(false|no|n|0)$/i;

/**
 * Whether mails and the password of the server travel over TLS alone: `smtps:` begins with it, `smtp:` must turn to it. Within
 * this machine nobody listens; elsewhere the address may say `requireTLS=false`.
 */
export function mailEncryption(smtpUrl: string): 'required' | 'local' | 'optional' {
  const { protocol, hostname, searchParams } = new URL(smtpUrl);
  if (protocol === 'smtps:') return 'required';
  if (LOOPBACK.test(hostname)) return 'local';
  const isOptional =
    NO.test(searchParams.get('requireTLS') ?? '') || YES.test(searchParams.get('ignoreTLS') ?? '');
  return isOptional ? 'optional' : 'required';
}
