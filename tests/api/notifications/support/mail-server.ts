import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface TakenMail {
  readonly to: string;
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly mails: TakenMail[];
  /** Addresses that were refused for good, one for each try. */
  readonly refused: string[];
  close(): Promise<void>;
}

/** Speaks SMTP on a port of its own. @param isRefused recipients that it answers 550 */
export async function startMailServer(
  isRefused: (address: string) => boolean = () => false,
): Promise<MailServer> {
  const mails: TakenMail[] = [];
  const refused: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const say = (line: string) => void socket.write(`${line}\r\n`);
    let to = '';
    let body: string[] | null = null;
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    say('220 test');
    createInterface({ input: socket })
      .on('error', () => undefined)
      .on('line', (line) => {
        if (body !== null && line !== '.') return void body.push(line);
        if (body !== null) {
          mails.push(toMail(to, body));
          body = null;
          return say('250 kept');
        }
        const recipient = /^RCPT TO:<(.*)>/i.exec(line)?.[1];
        if (recipient !== undefined) {
          to = recipient;
          if (isRefused(recipient)) refused.push(recipient);
          return say(isRefused(recipient) ? '550 no such mailbox' : '250 ok');
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
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    refused,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function toMail(to: string, lines: readonly string[]): TakenMail {
  const end = lines.indexOf('');
  const head = lines
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  const text = lines.slice(end + 1).join('\n');
  const isQuoted = /quoted-printable/i.test(header('Content-Transfer-Encoding'));
  return {
    to,
    messageId: header('Message-ID'),
    subject: header('Subject'),
    text: isQuoted
      ? text
          .replace(/=\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      : text,
  };
}
