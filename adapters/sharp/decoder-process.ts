import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DecoderOrder, DecoderReply, DecoderRequest } from './decoder-messages.js';

/** Private memory that one decoder process may map, in KiB. The engine of the language reserves 576 MiB of it without touching them. */
const MEMORY_KIB = 1024 * 1024;
/** From the request to its answer. */
export const TIME_LIMIT_MS = 30_000;
/** Processor time by which a slow image is known to be slow by itself, not for want of a processor. */
const OWN_TIME_MS = 20_000;
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;
const START_LIMIT_MS = 30_000;
/** Memory limits of the engine, in MiB: what comes and goes with an image is garbage at once, and would fill what new objects may take. */
const HEAP = ['--max-old-space-size=128', '--max-semi-space-size=2', '--expose-gc'];
const PROGRAM = fileURLToPath(new URL('./decoder-child.js', import.meta.url));
/** From this size on, what an image took goes back to the system as soon as it is over. */
const MAPPED_FROM_BYTES = 256 * 1024;
/** The limits hold where the system has them; `exec` keeps the pid and the channel. */
const LIMITED = `ulimit -c 0 2>/dev/null; ulimit -d ${MEMORY_KIB} 2>/dev/null; exec "$@"`;

/** Ended without an answer: the image took it down, or took too long. */
export class DecoderDied extends Error {
  constructor(
    message: string,
    readonly tookTooLong = false,
    /** The image alone is to blame: the time limit was spent on decoding it. */
    readonly isOfImage = false,
  ) {
    super(message);
  }
}

/** One process apart that decodes one image at a time, without the secrets of this one in its environment. */
export class DecoderProcess {
  private readonly child: ChildProcess;
  private readonly started: Promise<void>;
  /** Resolves when its memory is free again. */
  readonly gone: Promise<void>;
  private listener: ((reply: DecoderReply | DecoderDied) => void) | null = null;
  isDead = false;
  /** Requests answered so far. */
  served = 0;
  /** It holds much memory from a heavy image, which only its end gives back. */
  isSwollen = false;

  constructor(private readonly timeLimitMs: number) {
    this.child = spawn('/bin/sh', ['-c', LIMITED, 'sh', process.execPath, ...HEAP, PROGRAM], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        MALLOC_ARENA_MAX: '2',
        MALLOC_MMAP_THRESHOLD_: String(MAPPED_FROM_BYTES),
      },
    });
    this.child.on('message', (reply) => this.listener?.(reply as DecoderReply));
    this.gone = new Promise((resolve) => {
      for (const end of ['error', 'exit']) this.child.once(end, () => resolve(this.died()));
    });
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
   * @param turn resolves when a heavy image may be decoded
   * @throws DecoderDied; Error when the process cannot be started at all
   */
  async run(request: DecoderRequest, turn: () => Promise<void>): Promise<DecoderReply> {
    this.child.ref();
    this.child.channel?.ref();
    try {
      await this.started;
      let reply = await this.ask(request);
      if (reply.kind === 'heavy') {
        await turn();
        this.isSwollen = true;
        reply = await this.ask({ kind: 'go' });
      }
      this.served += 1;
      return reply;
    } finally {
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
    const reply = this.next(this.timeLimitMs);
    if (!this.isDead) this.child.send(order, (error) => error && this.end());
    return reply;
  }

  private next(limitMs: number): Promise<DecoderReply> {
    return new Promise((resolve, reject) => {
      if (this.isDead) return reject(new DecoderDied('the decoder ended'));
      const before = this.ownTime();
      let late: DecoderDied | null = null;
      const timer = setTimeout(() => {
        late = new DecoderDied(
          `it takes longer than ${limitMs / 1000} s`,
          true,
          this.ownTime() - before >= OWN_TIME_MS,
        );
        this.end();
      }, limitMs);
      this.listener = (reply) => {
        this.listener = null;
        clearTimeout(timer);
        if (reply instanceof DecoderDied) reject(late ?? reply);
        else resolve(reply);
      };
    });
  }

  /** Milliseconds of processor time so far; 0 where the system does not report it. Fields 14 and 15 of proc(5) stat. */
  private ownTime(): number {
    try {
      const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'latin1');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(user) + Number(system)) * TICK_MS;
    } catch {
      return 0;
    }
  }

  private died(): void {
    this.isDead = true;
    this.listener?.(new DecoderDied('it needs more memory than an image may'));
  }
}
