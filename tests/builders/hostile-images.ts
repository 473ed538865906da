import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

export interface HostileImage {
  readonly name: string;
  readonly bytes: Buffer;
  /** The whole of what its refusal says; null for bytes that are a harmless image however odd. */
  readonly refused: RegExp | null;
}

const HEIC = /^HEIC \(HEVC\) is not decoded; convert it to JPEG or AVIF$/;
/** A red square of 16 x 16 pixels, as x265 writes it. */
const WHOLE_HEIC =
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAXxtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABoAABAAAAAAAAACYAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/GlwcnAAAADcaXBjbwAAAHVodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQApQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqrprm4CGgwIAAAAyAAAADAIRiAAEABkQBwXPBiQAAABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAAAAEAAAAAEAAAAQAAAAAf///9AAAAAC////0AAAAAIAAAAQcGl4aQAAAAADCAgIAAAAGGlwbWEAAAAAAAAAAQABBYECAwWEAAAALm1kYXQAAAAiKAGvBBITTOD46cJoP9k3+apWCI8n7asr40mfd7EYkqn/oA==';
const DECODE = /^it cannot be decoded \(.{3,}\)$/;
const pixels = (side: number): RegExp => new RegExp(`^it has ${side} x ${side} pixels, more than 50000000$`);
const IN_MEMORY =
  /^its pixels take 392000000 bytes, more than 200000000; store it with fewer channels or 8 bits$/;

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
};
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const header = (width: number, height: number, depth = 8, colour = 2, interlace = 0): Buffer =>
  chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([depth, colour, 0, 0, interlace])]));
const END = chunk('IEND', Buffer.alloc(0));

/** A PNG that says it is of this size; its rows are zeros, compressed a thousandfold. */
function zeroPng(
  width: number,
  height: number,
  options: { depth?: number; colour?: number; interlace?: number; rows?: number; extra?: Buffer } = {},
): Buffer {
  const { depth = 8, colour = 2, interlace = 0, rows = height, extra = Buffer.alloc(0) } = options;
  const channels = colour === 6 ? 4 : colour === 2 ? 3 : 1;
  const data = Buffer.alloc(rows * (1 + Math.ceil((width * channels * depth) / 8)));
  return Buffer.concat([
    SIGNATURE,
    header(width, height, depth, colour, interlace),
    extra,
    chunk('IDAT', deflateSync(data, { level: 9 })),
    END,
  ]);
}

function gif(width: number, height: number, frames: number): Buffer {
  const u16 = (value: number) => Buffer.from([value & 255, value >> 8]);
  const screen = Buffer.concat([
    Buffer.from('GIF89a'),
    u16(width),
    u16(height),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]);
  const frame = Buffer.concat([
    Buffer.from([0x2c, 0, 0, 0, 0]),
    u16(width),
    u16(height),
    Buffer.from([0, 2, 2, 0x4c, 1, 0]),
  ]);
  return Buffer.concat([screen, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

/** A little-endian TIFF with one directory that points to itself when `loops`. */
function tiff(width: number, height: number, loops = false): Buffer {
  const entries: Array<[number, number, number]> = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 200],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, 16],
  ];
  const bytes = Buffer.alloc(256);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(entries.length, 8);
  for (const [at, [tag, type, value]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 10 + 12 * at);
    bytes.writeUInt16LE(type, 12 + 12 * at);
    bytes.writeUInt32LE(1, 14 + 12 * at);
    bytes.writeUInt32LE(value, 18 + 12 * at);
  }
  bytes.writeUInt32LE(loops ? 8 : 0, 10 + 12 * entries.length);
  return bytes;
}

function jpegWithSize(jpeg: Buffer, width: number, height: number): Buffer {
  const lied = Buffer.from(jpeg);
  const at = lied.findIndex((byte, i) => byte === 0xff && (lied[i + 1] === 0xc0 || lied[i + 1] === 0xc2));
  lied.writeUInt16BE(height, at + 5);
  lied.writeUInt16BE(width, at + 7);
  return lied;
}

/** Many scans over one large progressive image cost time out of all proportion to the bytes. */
function manyScans(jpeg: Buffer, times: number): Buffer {
  const scan = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const end = jpeg.length - 2;
  return Buffer.concat([
    jpeg.subarray(0, end),
    ...Array.from({ length: times }, () => jpeg.subarray(scan, end)),
    jpeg.subarray(end),
  ]);
}

const noisy = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#345',
      noise: { type: 'gaussian', mean: 120, sigma: 50 },
    },
  });

/** Images made to hurt: bombs, lies, cuts, wrong kinds. */
export async function hostileImages(): Promise<HostileImage[]> {
  const [photo, png, webp, progressive] = await Promise.all([
    noisy(320, 240).jpeg().toBuffer(),
    noisy(64, 48).png().toBuffer(),
    noisy(64, 48).webp().toBuffer(),
    sharp({ create: { width: 7000, height: 7000, channels: 3, background: '#888' } })
      .jpeg({ progressive: true })
      .toBuffer(),
  ]);
  const badCrc = Buffer.from(png);
  badCrc.writeUInt32BE(0xdeadbeef, 29);
  const bigProfile = chunk(
    'iCCP',
    Buffer.concat([Buffer.from('bomb\0\0', 'latin1'), deflateSync(Buffer.alloc(200_000_000), { level: 9 })]),
  );
  const bigText = chunk(
    'zTXt',
    Buffer.concat([
      Buffer.from('Comment\0\0', 'latin1'),
      deflateSync(Buffer.alloc(200_000_000), { level: 9 }),
    ]),
  );
  const bigExif = Buffer.concat([
    photo.subarray(0, 2),
    ...Array.from({ length: 200 }, () =>
      Buffer.concat([Buffer.from([0xff, 0xe1, 0xff, 0xff]), Buffer.alloc(65_533, 0x45)]),
    ),
    photo.subarray(2),
  ]);
  const at = (name: string, bytes: Buffer, refused: RegExp | null = DECODE): HostileImage => ({
    name,
    bytes,
    refused,
  });
  return [
    at('png-huge-header.png', Buffer.concat([SIGNATURE, header(0x7fffffff, 0x7fffffff), END])),
    at('png-196-megapixels.png', zeroPng(14_000, 14_000, { rows: 100 }), pixels(14_000)),
    at('png-196-megapixels-whole.png', zeroPng(14_000, 14_000, { depth: 1, colour: 0 }), pixels(14_000)),
    at('png-49-megapixels.png', zeroPng(7000, 7000, { colour: 0 }), null),
    at(
      'png-49-megapixels-interlaced-16-bit.png',
      zeroPng(7000, 7000, { depth: 16, colour: 6, interlace: 1, rows: 10 }),
      IN_MEMORY,
    ),
    at('png-no-size.png', Buffer.concat([SIGNATURE, header(0, 0), END])),
    at('png-crc-lies.png', badCrc),
    at('png-cut.png', png.subarray(0, png.length >> 1)),
    at('png-short-data.png', zeroPng(2000, 2000, { rows: 10 })),
    at('png-only-signature.png', SIGNATURE),
    at('png-profile-bomb.png', zeroPng(16, 16, { extra: bigProfile }), null),
    at('png-text-bomb.png', zeroPng(16, 16, { extra: bigText }), null),
    at('jpeg-65500.jpg', jpegWithSize(photo, 65_500, 65_500), pixels(65_500)),
    at('jpeg-lies.jpg', jpegWithSize(photo, 6000, 6000), null),
    at('jpeg-cut.jpg', photo.subarray(0, photo.length >> 1)),
    at('jpeg-exif-13-mb.jpg', bigExif, null),
    at('jpeg-49-megapixels-progressive.jpg', progressive, null),
    at('jpeg-many-scans.jpg', manyScans(progressive, 400)),
    at(
      'jpeg-then-html.jpg',
      Buffer.concat([photo, Buffer.from('<html><script>alert(1)</script></html>')]),
      null,
    ),
    at('gif-65535.gif', gif(65_535, 65_535, 1), pixels(65_535)),
    at('gif-200000-frames.gif', gif(1000, 1000, 200_000), null),
    at('tiff-4-gigapixels.tif', tiff(65_000, 65_000), pixels(65_000)),
    at('tiff-loop.tif', tiff(16, 16, true)),
    at('tiff-strip-beyond-end.tif', tiff(5000, 5000)),
    at('webp-cut.webp', webp.subarray(0, webp.length >> 1)),
    at(
      'webp-lies.webp',
      Buffer.concat([webp.subarray(0, 26), Buffer.from([0xff, 0x3f, 0xff, 0x3f]), webp.subarray(30)]),
    ),
    at('avif-cut.avif', (await noisy(64, 48).avif().toBuffer()).subarray(0, 200)),
    at(
      'heif-empty-boxes.heic',
      Buffer.concat([u32(24), Buffer.from('ftypheic'), Buffer.alloc(12), Buffer.alloc(4000, 0xff)]),
      HEIC,
    ),
    at('heic-whole.heic', Buffer.from(WHOLE_HEIC, 'base64'), HEIC),
    at(
      'bmp-huge.bmp',
      Buffer.concat([
        Buffer.from('BM'),
        Buffer.alloc(24),
        u32(0xffffff7f),
        u32(0xffffff7f),
        Buffer.alloc(100),
      ]),
      /^BMP is not decoded; convert it to PNG or JPEG$/,
    ),
    at(
      'jpeg-2000.jp2',
      Buffer.from('0000000c6a5020200d0a870a', 'hex'),
      /^JPEG 2000 is not decoded; convert it to PNG or JPEG$/,
    ),
    at('jpeg-xl.jxl', Buffer.from('ff0a00', 'hex'), /^JPEG XL is not decoded; convert it to PNG or JPEG$/),
    at(
      'dicom.dcm',
      Buffer.concat([Buffer.alloc(128), Buffer.from('DICM')]),
      /^DICOM is not decoded; convert it to PNG or JPEG$/,
    ),
    at(
      'photoshop.psd',
      Buffer.from('8BPS\0\u0001', 'latin1'),
      /^Photoshop \(PSD\) is not decoded; convert it to PNG or JPEG$/,
    ),
  ];
}
