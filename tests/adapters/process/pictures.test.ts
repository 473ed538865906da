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
