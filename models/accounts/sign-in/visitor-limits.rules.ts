import type { AttemptLimit } from './attempt-limit.types.js';

const MINUTES = 60;
const HOURS = 3600;

/** What people ask for who are not signed in, and what costs a password hash, an account or a mail. */
export type VisitorRequest = 'sign-in' | 'register' | 'mail';

interface OriginLimits {
  readonly address: AttemptLimit;
  /** Limit of a /24 (IPv4) or a /64 (IPv6). */
  readonly network: AttemptLimit;
}

/**
 * How often visitors may ask from one address and from one network; docs/adr/visitor-limits.md has the reasons. Sign-ins
 * that succeed are free.
 */
export const VISITOR_LIMITS: Readonly<Record<VisitorRequest, OriginLimits>> = {
  'sign-in': {
    address: { points: 300, windowS: 15 * MINUTES },
    network: { points: 1000, windowS: 15 * MINUTES },
  },
  register: {
    address: { points: 300, windowS: HOURS },
    network: { points: 1000, windowS: HOURS },
  },
  mail: {
    address: { points: 100, windowS: 15 * MINUTES },
    network: { points: 300, windowS: 15 * MINUTES },
  },
};

/**
 * Mails that visitors can have sent to one e-mail address. More requests are answered alike and send nothing. They count
 * whether or not the address has an account.
 */
export const RECIPIENT_LIMIT: AttemptLimit = { points: 5, windowS: 15 * MINUTES };
