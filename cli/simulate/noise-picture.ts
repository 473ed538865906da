import { crc32, deflateSync } from 'node:zlib';
import type { Random } from './random.js';

const SIDE = 32;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A grey PNG of 32 x 32 pixels, as good as never the same twice. */
export function noisePicture(random: Random): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header[8] = 8; // bits of a pixel; the other bytes stay 0: grey, deflate, one filter for each line, not interlaced
  // A line begins with its filter, 0: none.
  const pixels = Buffer.from(
    Array.from({ length: SIDE * (SIDE + 1) }, (_, at) =>
      at % (SIDE + 1) === 0 ? 0 : Math.floor(random.next() * 256),
    ),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
