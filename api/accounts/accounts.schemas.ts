import type { PersonName, PhoneText } from '../http/routing/parameters.js';

/**
 * An address that mail can be sent to. Its domain is read without regard to case, and one of another script in either of
 * its forms; special-use domains such as `.local` are refused.
 * @pattern ^[A-Za-z0-9_!#$%&'*+/=?^\x60{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9_!#$%&'*+/=?^\x60{|}~\u0080-\uffff-]+)*@(?=.*[.\u3002\uff0e\uff61])(?!.*(?:\.\.|\.-|-\.))[A-Za-z0-9\u0080-\uffff](?:[A-Za-z0-9.\u0080-\uffff-]*[A-Za-z\u0080-\uffff])$ must be an e-mail address
 * @format email
 * @maxLength 254
 */
export type EmailText = string;

/**
 * Too short a one, the empty one too, is refused with the code of the call.
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
