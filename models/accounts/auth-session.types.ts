export interface NewSession {
  readonly userId: string;
  /** The hash that the password was compared with. */
  readonly passwordHash: string;
  readonly kind: 'cookie' | 'jwt';
  /** Null for JWT sessions: their id travels as `jti`. */
  readonly tokenHash: string | null;
  readonly expiresAt: Date | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface SessionSummary {
  readonly id: string;
  readonly kind: 'cookie' | 'jwt';
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}
