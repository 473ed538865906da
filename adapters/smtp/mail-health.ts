import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Waits for the greeting of the mail server; sends nothing but QUIT. @throws Error when there is none */
export function checkSmtp(smtpUrl: string, signal: AbortSignal): Promise<string> {
  const url = new URL(smtpUrl);
  const isTls = url.protocol === 'smtps:';
  const target = { host: url.hostname, port: url.port ? Number(url.port) : isTls ? 465 : 587 };
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ ...target, servername: url.hostname }) : connect(target);
    const stop = () => socket.destroy(new Error('no greeting in time'));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', (error) =>
      reject(
        new Error(
          `the mail server cannot be reached (${(error as NodeJS.ErrnoException).code ?? error.message})`,
        ),
      ),
    );
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('the mail server closed the connection'));
    });
    socket.once('data', (bytes) => {
      socket.end('QUIT\r\n');
      if (bytes.toString('latin1').startsWith('220')) resolve('The mail server greets.');
      else reject(new Error('the mail server refuses'));
    });
  });
}

/** @throws Error when the directory cannot be written to */
export async function checkMailDirectory(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await access(directory, constants.W_OK);
  return 'No SMTP_URL is set: each mail is a file in the mail directory.';
}
