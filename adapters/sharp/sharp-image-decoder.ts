import { fieldError, unavailable, unprocessable } from '../../core/errors/app-error.js';
import { Slots } from '../../core/load/slots.js';
import type { ImageDecoder } from '../../core/ports/image-decoder.js';
import { DecoderDied, DecoderProcess, TIME_LIMIT_MS } from './decoder-process.js';
import type { DecoderReply, DecoderRequest } from './decoder-messages.js';

/** Images decoded at the same time for one process. */
const MAX_AT_ONCE = 2;
/** Attempts with no other image beside, after one in company. */
const MAX_ALONE = 2;
/** Images per decoder process; its replacement frees what native code leaks. */
const RETIRE_AFTER = 5000;
/** Idle time after which a decoder ends. */
const IDLE_MS = 30_000;

/** Decoders are processes of their own, started when first needed: an image may take one of them down, never the caller. */
export function createImageDecoder(timeLimitMs = TIME_LIMIT_MS): ImageDecoder {
  const idle: DecoderProcess[] = [];
  const places = new Slots(MAX_AT_ONCE);
  /** Places for decoding, among those with a place: a heavy image is decoded with no other beside it, so that only one can take much memory at a time. */
  const decoding = new Slots(MAX_AT_ONCE);
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
  const decode = (read: Read, amount: number): Promise<DecoderReply> =>
    places.during(async () => {
      const request = await read();
      while (idle.at(-1)?.isDead) idle.pop();
      const decoder = idle.pop() ?? new DecoderProcess(timeLimitMs);
      let release = await decoding.take();
      const becomeHeavy = async (): Promise<void> => {
        release();
        release = await decoding.take(MAX_AT_ONCE);
      };
      try {
        return await decoder.run(request, becomeHeavy);
      } catch (error) {
        decoder.end();
        throw error;
      } finally {
        rest(decoder);
        if (decoder.isDead) void decoder.gone.then(release);
        else release();
      }
    }, amount);
  /** What went before, other images, or the machine may have ended an attempt: only those alone, in a fresh process, count against the image. */
  const run = async (read: Read): Promise<DecoderReply> => {
    for (let alone = 0; ; alone += 1) {
      try {
        if (alone > 0) endIdle();
        return await decode(read, alone === 0 ? 1 : MAX_AT_ONCE);
      } catch (error) {
        if (!(error instanceof DecoderDied)) throw error;
        if (error.isOfImage || (alone > 0 && !error.tookTooLong))
          return { kind: 'refused', problem: `it cannot be decoded (${error.message})` };
        if (alone >= MAX_ALONE)
          throw unavailable('The machine is too busy to decode images; try again later.', error, 30);
      }
    }
  };
  return {
    check: async (bytes) => {
      const reply = await run(async () => ({ kind: 'check', bytes }));
      return reply.kind === 'checked'
        ? reply.check
        : { facts: null, problem: reply.kind === 'refused' ? reply.problem : 'it cannot be decoded' };
    },
    preview: async (read, maxSide) => {
      const reply = await run(async () => ({ kind: 'preview', bytes: await read(), maxSide }));
      if (reply.kind === 'preview')
        return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
      throw unprocessable(
        [fieldError(['query', 'variant'], 'preview is not possible for this file')],
        `No preview can be made: ${reply.kind === 'refused' ? reply.problem : 'the image cannot be decoded'}.`,
      );
    },
  };
}

type Read = () => Promise<DecoderRequest>;
