import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { DOCKER } from './process-kit.js';

/** Encodes pictures and reads them as training programs and inference servers do. */
const READ = `
import io, json, sys
sys.path.insert(0, sys.argv[1])
import numpy
from PIL import Image
from pictures import BadImage, open_picture
def read(picture, kind):
    data = io.BytesIO()
    picture.save(data, kind)
    try:
        return numpy.asarray(open_picture(data.getvalue()))[:, :, 0].flatten().tolist()
    except BadImage as error:
        return str(error)
grey = numpy.array([[0, 257, 32768, 65535]])
print(json.dumps({
    "png": read(Image.fromarray(grey.astype(numpy.uint16)), "PNG"),
    "tiff": read(Image.fromarray(grey.astype(numpy.uint16)), "TIFF"),
    "float": read(Image.fromarray(grey.astype(numpy.float32)), "TIFF"),
    "avif": read(Image.new("RGB", (16, 16), (200, 0, 0)), "AVIF")[0],
}))
`;

/** What a runtime and the agent of devices make of the same pictures: a digest of the numbers, or the reason of a refusal. */
const BOTH = `
import hashlib, io, json, struct, sys, zlib
sys.path[:0] = sys.argv[1:]
import numpy
from PIL import Image
from images import decode
from visionops_device.predictors.sklearn_model import SklearnModel
def encoded(picture, kind="PNG", **more):
    data = io.BytesIO()
    picture.save(data, kind, **more)
    return data.getvalue()
def outcome(read, data):
    try:
        return hashlib.sha256(read(data).tobytes()).hexdigest()
    except ValueError as error:
        return str(error)
class Model(SklearnModel):
    def __init__(self, size, is_grey):
        self.size, self.is_grey = size, is_grey
    def outcome(self, data):
        return outcome(self._row, data), outcome(lambda data: decode(data, self.size, self.is_grey), data)
noise = numpy.random.default_rng(1).integers(0, 65536, (40, 60)).astype(numpy.uint16)
grey = Image.fromarray((noise >> 8).astype(numpy.uint8))
colour = Image.fromarray((noise.reshape(20, 40, 3) >> 8).astype(numpy.uint8))
turned = Image.Exif()
turned[0x0112] = 6
png = encoded(colour)
head = png[12:16] + struct.pack(">II", 60_000, 60_000) + png[24:29]
pictures = {
    "16 bits": encoded(Image.fromarray(noise)), "16 bits, TIFF": encoded(Image.fromarray(noise), "TIFF"),
    "float": encoded(Image.fromarray(noise.astype(numpy.float32)), "TIFF"),
    "32 bits": encoded(Image.fromarray(noise.astype(numpy.int32)), "TIFF"),
    "palette": encoded(colour.quantize(8), transparency=0), "one bit": encoded(grey.convert("1")),
    "grey with alpha": encoded(grey.convert("LA")), "inks": encoded(colour.convert("CMYK"), "JPEG"),
    "large": encoded(colour.resize((900, 700)), "JPEG"), "turned": encoded(colour, "JPEG", exif=turned),
    "BMP": encoded(colour, "BMP"), "ICO": encoded(colour, "ICO"),
    "cut off": png[:len(png) // 2], "none": b"hello",
    "too large": png[:12] + head + struct.pack(">I", zlib.crc32(head)) + png[33:],
}
models = [Model(8, True), Model(32, False), Model(64, True)]
print(json.dumps({name: [model.outcome(data) for model in models] for name, data in pictures.items()}))
`;

describe('what training programs and inference servers see of pictures', () => {
  let seen: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
    const { python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' });
    const { stdout } = await promisify(execFile)(python, ['-c', READ, join(DOCKER, 'contract')]);
    seen = JSON.parse(stdout) as typeof seen;
  }, 300_000);

  it('is all shades of grey of 16 bits', () => {
    expect(seen.png).toEqual([0, 1, 127, 255]);
    expect(seen.tiff).toEqual([0, 1, 127, 255]);
  });

  it('is nothing of values that have no range, with the reason', () => {
    expect(seen.float).toMatch(/32 bits are not read/);
  });

  it('is AVIF too, as datasets take it', () => {
    expect(Math.abs((seen.avif as number) - 200)).toBeLessThan(4);
  });
});

it('devices see the numbers of every picture that runtimes see, and refuse what they refuse', async () => {
  const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
  const { python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' });
  const folders = [
    join(DOCKER, 'contract'),
    join(DOCKER, 'runtimes/sklearn'),
    join(DOCKER, '../clients/device-agent'),
  ];
  const { stdout } = await promisify(execFile)(python, ['-B', '-c', BOTH, ...folders]);
  const outcomes = Object.entries(JSON.parse(stdout) as Record<string, Array<[string, string]>>);
  for (const [name, models] of outcomes)
    for (const [device, runtime] of models) expect({ name, read: device }).toEqual({ name, read: runtime });
  const refused = outcomes
    .filter(([, [first]]) => !/^[0-9a-f]{64}$/.test(first?.[0] ?? ''))
    .map(([name]) => name);
  expect(refused).toEqual(['float', '32 bits', 'BMP', 'ICO', 'cut off', 'none', 'too large']);
}, 300_000);
