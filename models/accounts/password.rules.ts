import { isWellFormed } from '../../core/text/line-text.js';
import { COMMON_PASSWORDS } from './common-passwords.js';

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 128;

/** NFKC, so that the same password typed on different keyboards is the same text (NIST SP 800-63B). */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/** @returns why the password cannot be used, or null when it can */
export function passwordProblem(password: string, email: string): string | null {
  // Neither survives the way into the hash as it was typed.
  if (password.includes('\u0000') || !isWellFormed(password))
    return 'Password should not contain a NUL character or half of a surrogate pair.';
  const text = normalizePassword(password);
  const length = [...text].length;
  if (length < PASSWORD_MIN) return `Password should be at least ${PASSWORD_MIN} characters.`;
  if (length > PASSWORD_MAX) return `Password should be at most ${PASSWORD_MAX} characters.`;
  if (text.toLowerCase() === email.toLowerCase()) return 'Password should not be the e-mail address.';
  if (COMMON_PASSWORDS.has(text.toLowerCase())) return 'Password is too common; choose another.';
  return null;
}
