import type { PersonName, PhoneText } from '../http/parameters.js';

/**
 * @pattern ^[^@\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+@[^@\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$ must be an e-mail address
 * @maxLength 320
 */
export type EmailText = string;

/**
 * @minLength 1
 * @maxLength 1024
 */
export type PasswordText = string;

export interface UserRead {
  id: string;
  email: string;
  is_active: boolean;
  /** Mirrors the global-administrator membership. */
  is_superuser: boolean;
  is_verified: boolean;
  full_name: string | null;
  phone: string | null;
}

/** The flags are accepted and ignored, as FastAPI-Users does. */
export interface UserCreate {
  email: EmailText;
  password: PasswordText;
  is_active?: boolean | null;
  is_superuser?: boolean | null;
  is_verified?: boolean | null;
  full_name?: PersonName | null;
  phone?: PhoneText | null;
}

export interface ProfileUpdate {
  full_name?: PersonName | null;
  phone?: PhoneText | null;
}

export interface PasswordChange {
  current_password: PasswordText;
  new_password: PasswordText;
}

/** Form of both sign-in routes. */
export interface LoginForm {
  /**
   * The e-mail address.
   * @maxLength 320
   */
  username: string;
  /** @maxLength 1024 */
  password: string;
  /** @maxLength 64 */
  grant_type?: string;
  /** @maxLength 1024 */
  scope?: string;
  /** @maxLength 1024 */
  client_id?: string;
  /** @maxLength 1024 */
  client_secret?: string;
}

export interface BearerResponse {
  access_token: string;
  token_type: 'bearer';
}

export interface EmailBody {
  email: EmailText;
}

/**
 * A token that came by mail.
 * @minLength 1
 * @maxLength 4096
 */
export type MailTokenText = string;

export interface ResetPasswordBody {
  token: MailTokenText;
  password: PasswordText;
}

export interface VerifyBody {
  token: MailTokenText;
}

export interface UserUpdate {
  password?: PasswordText | null;
  email?: EmailText | null;
  is_active?: boolean | null;
  is_superuser?: boolean | null;
  is_verified?: boolean | null;
  full_name?: PersonName | null;
  phone?: PhoneText | null;
}

/** One sign-in of one's own account. */
export interface SessionOut {
  id: string;
  kind: 'cookie' | 'jwt';
  /** Whether it is the one this request was made with. */
  is_current: boolean;
  created_at: string;
  /** Null: never. */
  expires_at: string | null;
  ip: string | null;
  user_agent: string | null;
}

export interface SessionList {
  items: SessionOut[];
  total: number;
}
