import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PasswordOrder, PasswordReply } from './password-messages.js';

const PROGRAM = fileURLToPath(new URL('./password-child.js', import.meta.url));
/** From the order to its answer, also while the machine is busy. */
const TIME_LIMIT_MS = 30_000;

/** The process ended before it answered. */
class ProcessEnded extends Error {}

/**
 * A process of low priority that does one order at a time: started when first needed, ended when nobody needs it, which
 * gives its memory back. Passwords reach it over its channel alone; its environment is empty.
 */
export class PasswordProcess {
  private child: ChildProcess | null = null;
  private sleeper: NodeJS.Timeout | null = null;

  /** @param idleMs without orders until the process ends */
  constructor(private readonly idleMs = 30_000) {}

  /** An order whose process was killed is done once more by a fresh one. @throws Error when that ended too, or the stored hash cannot be read */
  async run(order: PasswordOrder): Promise<Exclude<PasswordReply, { failed: string }>> {
    const reply = await this.once(order).catch((error: unknown) => (error instanceof ProcessEnded ? this.once(order) : Promise.reject(error)));
    if ('failed' in reply) throw new Error(`the password could not be compared: ${reply.failed}`);
    return reply;
  }

  private async once(order: PasswordOrder): Promise<PasswordReply> {
    if (this.sleeper) clearTimeout(this.sleeper);
    const child = this.child ?? this.start();
    child.ref();
    child.channel?.ref();
    try {
      return await replyOf(child, order);
    } catch (error) {
      // Its channel can break before its end is told; the next order must not go to the same process.
      if (error instanceof ProcessEnded) this.end(child);
      throw error;
    } finally {
      child.unref();
      child.channel?.unref();
      this.sleeper = setTimeout(() => this.end(child), this.idleMs).unref();
    }
  }

  private start(): ChildProcess {
    const child = fork(PROGRAM, { env: {}, execArgv: ['--max-old-space-size=32'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
    child.once('error', () => this.end(child)).once('exit', () => this.end(child));
    this.child = child;
    return child;
  }

  private end(child: ChildProcess): void {
    if (this.child === child) this.child = null;
    child.kill('SIGKILL');
  }
}

function replyOf(child: ChildProcess, order: PasswordOrder): Promise<PasswordReply> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    const ended = (): void => settle(() => reject(new ProcessEnded('the password process ended before it answered; look for what killed it')));
    const answered = (reply: PasswordReply): void => settle(() => resolve(reply));
    const settle = (done: () => void): void => {
      clearTimeout(late);
      child.off('message', answered).off('error', ended).off('exit', ended);
      done();
    };
    child.on('message', answered).on('error', ended).on('exit', ended);
    child.send(order, (error) => error && ended());
  });
}
