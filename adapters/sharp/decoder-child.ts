/** The program of a decoder process: decodes one image after the other for its holder and ends with it. */
import { checkImage, limitDecoding, previewImage } from './decode-image.js';
import type { DecoderOrder, DecoderReply, DecoderRequest } from './decoder-messages.js';

const say = (reply: DecoderReply): void => {
  process.send?.(reply);
};

/** Images from this size on are released at once: an idle decoder must not hold their memory. */
const LARGE_BYTES = 2 * 1024 * 1024;

let go: (() => void) | null = null;
const turn = () =>
  new Promise<void>((resolve) => {
    go = resolve;
    say({ kind: 'heavy' });
  });

async function answer(request: DecoderRequest): Promise<DecoderReply> {
  // Bytes arrive as a plain Uint8Array.
  const bytes = Buffer.from(request.bytes.buffer, request.bytes.byteOffset, request.bytes.byteLength);
  if (request.kind === 'check') return { kind: 'checked', check: await checkImage(bytes, turn) };
  const made = await previewImage(bytes, request.maxSide, turn);
  return typeof made === 'string' ? { kind: 'refused', problem: made } : { kind: 'preview', bytes: made };
}

async function serve(request: DecoderRequest): Promise<void> {
  const isLarge = request.bytes.length >= LARGE_BYTES;
  say(await answer(request));
  // Once nothing of this call refers to them.
  if (isLarge) setImmediate(() => globalThis.gc?.());
}

limitDecoding();
process.on('message', (order: DecoderOrder) => {
  if (order.kind === 'go') go?.();
  else void serve(order);
});
process.on('disconnect', () => process.exit(0));
say({ kind: 'ready' });
