import { Transform, type TransformCallback } from 'node:stream';
import { mailEncryption } from '../../core/config/mail-encryption.js';
import { unprocessable } from '../../core/errors/app-error.js';
import type { Mailer } from '../../core/ports/mailer.js';

const TIMEOUT_MS = 8000;

/** @param url `smtp://user:password@host:port` or `smtps://...`; see `mailEncryption` */
export function createSmtpMailer(url: string, from: string): Mailer & { close(): void } {
  const host = new URL(url).hostname;
  // Loaded at the first mail: most workers never send one.
  let transport: ReturnType<typeof openTransport> | null = null;
  return {
    async send(mail, key, beforeHandOver) {
      const messageId = `<${key.replace(/[^A-Za-z0-9-]/g, '.')}@${host}>`;
      transport ??= openTransport(url);
      const opened = await transport;
      try {
        // The address as such: a text would be taken apart into as many as it has commas.
        await opened.sendMail({
          from,
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          messageId,
          ...(beforeHandOver && { beforeHandOver }),
        });
      } catch (error) {
        const code = refusalOf(error);
        if (code !== null) throw unprocessable([], `The mail server refused the mail for good (${code}).`);
        throw error;
      }
    },
    close: () => void transport?.then((open) => open.close()),
  };
}

async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  // Whoever sends tries again: the transport does not, or a mail could go twice without anybody knowing.
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 4,
    maxRequeues: 0,
    requireTLS: mailEncryption(url) === 'required',
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  transport.use('stream', (mail, done) => {
    const { beforeHandOver } = mail.data as { beforeHandOver?: () => Promise<void> };
    if (beforeHandOver) mail.message.transform(new Gate(beforeHandOver));
    done();
  });
  return transport;
}

/** Lets the mail through once something has been done; the connection stands by then. */
class Gate extends Transform {
  private opened: Promise<void> | null = null;

  constructor(private readonly before: () => Promise<void>) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.opened ??= this.before();
    this.opened.then(() => done(null, chunk), done);
  }
}

/** Answers to sender, recipient and content; a refused sign-in or connection is the installation's, not this mail's. */
const ABOUT_THE_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);
/** Asks for (another) authentication, RFC 4954. */
const ABOUT_SIGN_IN: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** The permanent negative answer (5yz, RFC 5321 section 4.2.1) that the mail got; null for any other failure. */
function refusalOf(error: unknown): number | null {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  if (!ABOUT_THE_MAIL.has(code) || typeof responseCode !== 'number') return null;
  return responseCode >= 500 && responseCode <= 599 && !ABOUT_SIGN_IN.has(responseCode) ? responseCode : null;
}
