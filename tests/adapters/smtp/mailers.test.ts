import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createFileMailer } from '../../../adapters/smtp/file-mailer.js';
import { createSmtpMailer } from '../../../adapters/smtp/smtp-mailer.js';
import { AppError } from '../../../core/errors/app-error.js';
import { createLogger } from '../../../core/logging/logger.js';
import type { Mail } from '../../../core/ports/mailer.js';
import { startMailServer } from '../../api/notifications/support/mail-server.js';
import { describeMailer } from './mailer.contract.js';

const mail: Mail = {
  to: 'ada@example.org',
  subject: 'Your invitation',
  text: 'Follow the link.',
  kind: 'invite',
  token: 'only-in-the-text',
};

describeMailer('over SMTP', async () => {
  const server = await startMailServer();
  const mailer = createSmtpMailer(server.url, 'no-reply@example.org');
  return {
    mailer,
    delivered: async () =>
      [...new Map(server.mails.map((taken) => [taken.messageId, taken])).values()].map(
        ({ to, subject, text }) => ({ to, subject, text: text.trimEnd() }),
      ),
    close: async () => {
      mailer.close();
      await server.close();
    },
  };
});

describeMailer('files in a directory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-mails-'));
  const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
  return {
    mailer: createFileMailer(folder, logger),
    delivered: async () =>
      readdirSync(folder).map((name) => {
        const { to, subject, text } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Mail;
        return { to, subject, text };
      }),
    close: async () => rmSync(folder, { recursive: true }),
  };
});

describe('mail over SMTP', () => {
  let server: Server;
  afterEach(() => void server.close());

  it('hands the mail over with a message id that stays the same for every try', async () => {
    const received: string[] = [];
    server = await mailServer((text) => received.push(text), '250 kept');
    const mailer = createSmtpMailer(
      `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      'VisionOps <no-reply@example.org>',
    );
    await mailer.send(mail, 'dispatch:7');
    await mailer.send(mail, 'dispatch:7');
    mailer.close();
    expect(received).toHaveLength(2);
    for (const text of received) {
      expect(text).toContain('To: ada@example.org');
      expect(text).toContain('From: VisionOps <no-reply@example.org>');
      expect(text).toContain('Message-ID: <dispatch.7@127.0.0.1>');
      expect(text).toContain('Follow the link.');
      expect(text).not.toContain('only-in-the-text');
    }
  });

  it('fails when the server refuses or is away, so that the mail is tried again', async () => {
    server = await mailServer(() => undefined, '451 come back later');
    const port = (server.address() as AddressInfo).port;
    const refused = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'a@example.org');
    await expect(refused.send(mail, 'dispatch:8')).rejects.toThrow('451');
    await expect(refused.send(mail, 'dispatch:8')).rejects.not.toBeInstanceOf(AppError);
    refused.close();
    server.close();
    await once(server, 'close');
    const away = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'a@example.org');
    await expect(away.send(mail, 'dispatch:9')).rejects.toThrow('ECONNREFUSED');
    away.close();
  });

  it('goes to a server elsewhere over TLS, unless its address says otherwise', async () => {
    const received: string[] = [];
    server = await mailServer((text) => received.push(text), '250 kept');
    // Leads to this machine too, and is no name of it.
    const url = `smtp://0.0.0.0:${(server.address() as AddressInfo).port}`;
    const strict = createSmtpMailer(url, 'a@example.org');
    await expect(strict.send(mail, 'dispatch:12')).rejects.not.toBeInstanceOf(AppError);
    strict.close();
    expect(received).toEqual([]);
    const open = createSmtpMailer(`${url}?requireTLS=false`, 'a@example.org');
    await open.send(mail, 'dispatch:12');
    open.close();
    expect(received).toHaveLength(1);
  });

  it('says when the server refuses a mail for good', async () => {
    server = await mailServer(() => undefined, '550 no such mailbox');
    const mailer = createSmtpMailer(
      `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      'a@example.org',
    );
    await expect(mailer.send(mail, 'dispatch:10')).rejects.toMatchObject({
      code: 'unprocessable_entity',
      message: 'The mail server refused the mail for good (550).',
    });
    mailer.close();
  });
});

describe('the recipient of a mail', () => {
  it.each(['x,victim@example.org', 'Ada <victim@example.org>', 'a@b.example,victim@example.org'])(
    'is one address, whatever it holds: %s',
    async (to) => {
      const { url, mails, close } = await startMailServer();
      const mailer = createSmtpMailer(url, 'a@example.org');
      await mailer.send({ ...mail, to }, 'dispatch:11');
      mailer.close();
      await close();
      expect(mails.map((taken) => taken.to)).toEqual([expect.stringMatching(/^"[^"]+"@example\.org$/)]);
    },
  );
});

/** Speaks just enough SMTP to take mails. */
async function mailServer(onMail: (text: string) => void, verdict: string): Promise<Server> {
  const server = createServer((socket) => {
    const say = (line: string) => void socket.write(`${line}\r\n`);
    let body: string[] | null = null;
    socket.on('error', () => undefined);
    say('220 test');
    createInterface({ input: socket }).on('line', (line) => {
      if (body !== null && line !== '.') return void body.push(line);
      if (body !== null) {
        onMail(body.join('\n'));
        body = null;
        return say(verdict);
      }
      if (line === 'DATA') {
        body = [];
        return say('354 go on');
      }
      if (line === 'QUIT') return void socket.end('221 bye\r\n');
      say('250 ok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
