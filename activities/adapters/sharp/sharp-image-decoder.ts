import { fieldError, unprocessable } from '../../../core/errors/app-error.js';
import type { ImageDecoder } from '../../../core/ports/image-decoder.js';
import { DecoderDied, DecoderProcess } from './decoder-process.js';
import type { DecoderReply, DecoderRequest } from './decoder-messages.js';

/** Images decoded at the same time for one process. */
const MAX_AT_ONCE = 2;
/** A decoder process is replaced after so many images: what leaks in native code ends with it. */
const RETIRE_AFTER = 5000;
/** Decoders nobody needed for so long end. */
const IDLE_MS = 30_000;

/** Decoders are processes of their own, started when first needed: an image may take one of them down, never the caller. */
export function createImageDecoder(): ImageDecoder {
  const idle: DecoderProcess[] = [];
  const limited = limiter(MAX_AT_ONCE);
  const heavy = limiter(1);
  let sleeper: NodeJS.Timeout | null = null;
  const endIdle = (): void => {
    for (const decoder of idle.splice(0)) decoder.end();
  };
  const rest = (decoder: DecoderProcess): void => {
    if (decoder.isDead) return;
    if (decoder.isSwollen || decoder.served >= RETIRE_AFTER) return decoder.end();
    idle.push(decoder);
    if (sleeper) sleeper.refresh();
    else sleeper = setTimeout(endIdle, IDLE_MS).unref();
  };
  const decode = (request: DecoderRequest): Promise<DecoderReply> =>
    limited(async () => {
      while (idle.at(-1)?.isDead) idle.pop();
      const decoder = idle.pop() ?? new DecoderProcess();
      try {
        return await decoder.run(request, () => held(heavy));
      } catch (error) {
        decoder.end();
        throw error;
      } finally {
        rest(decoder);
      }
    });
  /** Tried again in a fresh process: what went before, or the machine, may have ended the first one. */
  const run = (request: DecoderRequest): Promise<DecoderReply> =>
    decode(request)
      .catch((error: unknown) => (error instanceof DecoderDied && !error.tookTooLong ? decode(request) : Promise.reject(error)))
      .catch(refusal);
  return {
    check: async (bytes) => {
      const reply = await run({ kind: 'check', bytes });
      return reply.kind === 'checked' ? reply.check : { facts: null, problem: reply.kind === 'refused' ? reply.problem : 'it cannot be decoded' };
    },
    preview: async (bytes, maxSide) => {
      const reply = await run({ kind: 'preview', bytes, maxSide });
      if (reply.kind === 'preview') return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
      throw unprocessable(
        [fieldError(['query', 'variant'], 'preview is not possible for this file')],
        `No preview can be made: ${reply.kind === 'refused' ? reply.problem : 'the image cannot be decoded'}.`,
      );
    },
  };
}

function refusal(error: unknown): DecoderReply {
  if (!(error instanceof DecoderDied)) throw error;
  return { kind: 'refused', problem: `it cannot be decoded (${error.message})` };
}

/** Takes a place among those a limiter lets through, until what it resolves to is called. */
const held = (limit: Limiter): Promise<() => void> =>
  new Promise((resolve) => {
    void limit(() => new Promise<void>((release) => resolve(release)));
  });

type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

function limiter(max: number): Limiter {
  let running = 0;
  const waiting: Array<() => void> = [];
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
