import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DecoderOrder, DecoderReply, DecoderRequest } from './decoder-messages.js';

/** Private memory that one decoder process may map, in KiB. The engine of the language reserves 576 MiB of it without touching them. */
const MEMORY_KIB = 1024 * 1024;
/** From the request to its answer, also while the machine is busy. */
const TIME_LIMIT_MS = 30_000;
const START_LIMIT_MS = 30_000;
const PROGRAM = fileURLToPath(new URL('./decoder-child.js', import.meta.url));
/** The limits hold where the system has them; `exec` keeps the pid and the channel. */
const LIMITED = `ulimit -c 0 2>/dev/null; ulimit -d ${MEMORY_KIB} 2>/dev/null; exec "$@"`;

/** Ended without an answer: the image took it down, or took too long. */
export class DecoderDied extends Error {
  constructor(
    message: string,
    readonly tookTooLong = false,
  ) {
    super(message);
  }
}

/** One process apart that decodes one image at a time, without the secrets of this one in its environment. */
export class DecoderProcess {
  private readonly child: ChildProcess;
  private readonly started: Promise<void>;
  private listener: ((reply: DecoderReply | DecoderDied) => void) | null = null;
  isDead = false;
  /** Requests answered so far. */
  served = 0;
  /** It holds much memory from a heavy image, which only its end gives back. */
  isSwollen = false;

  constructor() {
    this.child = spawn('/bin/sh', ['-c', LIMITED, 'sh', process.execPath, '--max-old-space-size=128', PROGRAM], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', MALLOC_ARENA_MAX: '2' },
    });
    this.child.on('message', (reply) => this.listener?.(reply as DecoderReply));
    this.child.once('error', () => this.died());
    this.child.once('exit', () => this.died());
    this.started = this.next(START_LIMIT_MS).then(
      () => undefined,
      () => {
        throw new Error('the image decoder did not start; /bin/sh and the Node program must be executable');
      },
    );
    this.started.catch(() => undefined);
    this.rest();
  }

  /**
   * @param turn asked before a heavy image is decoded; what it resolves to is called afterwards
   * @throws DecoderDied; Error when the process cannot be started at all
   */
  async run(request: DecoderRequest, turn: () => Promise<() => void>): Promise<DecoderReply> {
    this.child.ref();
    this.child.channel?.ref();
    let release: (() => void) | null = null;
    try {
      await this.started;
      let reply = await this.ask(request);
      if (reply.kind === 'heavy') {
        release = await turn();
        this.isSwollen = true;
        reply = await this.ask({ kind: 'go' });
      }
      this.served += 1;
      return reply;
    } finally {
      release?.();
      this.rest();
    }
  }

  end(): void {
    this.isDead = true;
    this.child.kill('SIGKILL');
  }

  /** An idle decoder does not keep its holder alive. */
  private rest(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private ask(order: DecoderOrder): Promise<DecoderReply> {
    const reply = this.next(TIME_LIMIT_MS);
    if (!this.isDead) this.child.send(order, (error) => error && this.end());
    return reply;
  }

  private next(limitMs: number): Promise<DecoderReply> {
    return new Promise((resolve, reject) => {
      if (this.isDead) return reject(new DecoderDied('the decoder ended'));
      let tookTooLong = false;
      const timer = setTimeout(() => {
        tookTooLong = true;
        this.end();
      }, limitMs);
      this.listener = (reply) => {
        this.listener = null;
        clearTimeout(timer);
        if (reply instanceof DecoderDied) reject(tookTooLong ? new DecoderDied(`it takes longer than ${limitMs / 1000} s`, true) : reply);
        else resolve(reply);
      };
    });
  }

  private died(): void {
    this.isDead = true;
    this.listener?.(new DecoderDied('it needs more memory than an image may'));
  }
}
