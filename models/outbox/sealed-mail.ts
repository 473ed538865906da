import { createHash, randomUUID } from 'node:crypto';
import type { Mail } from '../../core/ports/mailer.js';
import { open, seal } from '../../core/security/envelope.js';
import type { KeyRing } from '../../core/security/key-ring.js';

/** A mail as it waits in the dispatch table: nobody who reads the table learns the token it carries. */
export interface SealedMail {
  /** Names the mail inside its seal, since the row has no id before it is written. */
  readonly id: string;
  /** What the mail is about, such as `reset-password`. */
  readonly kind: string;
  /** Mark of the address it goes to. */
  readonly to: string;
  readonly tenantIds: readonly string[];
  /** From then on its token is worth nothing and the mail need not be sent. Null: never. */
  readonly expiresAt: string | null;
  /** It is worth less than the trouble of coming twice: not sent again when it is unclear whether it went. */
  readonly isOnce: boolean;
  readonly sealed: string;
}

/** Finds the mails to an address without showing it to whoever reads the table. */
export const recipientMark = (address: string): string =>
  createHash('sha256').update(address.toLowerCase()).digest('base64url');

const placeOf = (id: string): string => `dispatch|payload||${id}`;

export function sealMail(keys: KeyRing, mail: Mail, expiresAt: Date | null, isOnce = false): SealedMail {
  const id = randomUUID();
  const marks = { id, kind: mail.kind, to: recipientMark(mail.to), tenantIds: mail.tenantIds ?? [] };
  return {
    ...marks,
    expiresAt: expiresAt?.toISOString() ?? null,
    isOnce,
    sealed: seal(keys, placeOf(id), JSON.stringify(mail)),
  };
}

/** @throws Error when the server secret it was sealed with is not known any more */
export const openMail = (keys: KeyRing, { id, sealed }: Pick<SealedMail, 'id' | 'sealed'>): Mail =>
  JSON.parse(open(keys, placeOf(id), sealed)) as Mail;
