import { describe, expect, it } from '@jest/globals';
import { mailEncryption } from '../../../core/config/mail-encryption.js';

describe('the way to the mail server', () => {
  it.each([
    ['smtps://u:p@mail.example.com', 'required'],
    ['smtp://u:p@mail.example.com:587', 'required'],
    ['smtp://mail.example.com?requireTLS=true', 'required'],
    ['smtp://localhost.example.com', 'required'],
    ['smtp://mail.example.com:25?requireTLS=false', 'optional'],
    ['smtp://mail.example.com:25?ignoreTLS=true', 'optional'],
    ['smtp://localhost:25', 'local'],
    ['smtp://127.0.0.1:25', 'local'],
    ['smtp://[::1]:25', 'local'],
  ])('%s: encryption is %s', (url, expected) => {
    expect(mailEncryption(url)).toBe(expected);
  });
});
