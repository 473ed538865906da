import type { Mailer } from '../../../core/ports/mailer.js';

const TIMEOUT_MS = 8000;

/** @param url `smtp://user:password@host:port` or `smtps://...` */
export function createSmtpMailer(url: string, from: string): Mailer & { close(): void } {
  const host = new URL(url).hostname;
  // Loaded at the first mail: most workers never send one.
  let transport: ReturnType<typeof openTransport> | null = null;
  return {
    async send(mail, key) {
      const messageId = `<${key.replace(/[^A-Za-z0-9-]/g, '.')}@${host}>`;
      transport ??= openTransport(url);
      await (await transport).sendMail({ from, to: mail.to, subject: mail.subject, text: mail.text, messageId });
    },
    close: () => void transport?.then((open) => open.close()),
  };
}

async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({ url, pool: true, maxConnections: 4, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS });
}
