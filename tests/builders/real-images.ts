import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { ZipFile } from 'yazl';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { ensureRuntimeVenv } from '../../adapters/process/runtime-environment.js';

const DOCKER = fileURLToPath(new URL('../../../docker', import.meta.url));
const run = promisify(execFile);

export interface ImageFile {
  /** Path in the dataset; the folder is the class. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface LabelledImage extends ImageFile {
  readonly label: string;
}

export interface RealImages {
  /** Scans of handwritten digits as PNG, class by class. */
  readonly digits: readonly LabelledImage[];
  /** Scans that nothing is ever trained on. */
  readonly heldBack: readonly LabelledImage[];
  /** Two photographs (JPEG, 640 x 427) that show no digit. */
  readonly photographs: readonly ImageFile[];
}

/** scikit-learn's scans and sample photographs, exported by the training runtime's own environment. */
export async function realImages(heldBack: number): Promise<RealImages> {
  const { python, programs } = await ensureRuntimeVenv({
    runtime: 'sklearn',
    runtimesDir: join(DOCKER, 'runtimes'),
    cacheDir: defaultCacheDir(),
  });
  const folder = mkdtempSync(join(tmpdir(), 'visionops-images-'));
  try {
    const [upload, apart] = [join(folder, 'upload'), join(folder, 'apart')];
    await run(
      python,
      [join(programs, 'export_digits.py'), upload, '--holdback', String(heldBack), '--holdback-dir', apart],
      { timeout: 120_000 },
    );
    const { stdout } = await run(
      python,
      [
        '-c',
        'import os, sklearn.datasets; print(os.path.join(os.path.dirname(sklearn.datasets.__file__), "images"))',
      ],
      { timeout: 60_000 },
    );
    const photos = stdout.trim();
    const photographs = ['china.jpg', 'flower.jpg'].map((name) => ({
      path: name,
      bytes: readFileSync(join(photos, name)),
    }));
    return { digits: scansIn(upload), heldBack: heldBack > 0 ? scansIn(apart) : [], photographs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scansIn(folder: string): LabelledImage[] {
  return readdirSync(folder)
    .sort()
    .flatMap((label) =>
      readdirSync(join(folder, label))
        .sort()
        .map((name) => ({
          label,
          path: `${label}/${basename(name)}`,
          bytes: readFileSync(join(folder, label, name)),
        })),
    );
}

export async function zipOf(files: readonly ImageFile[]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const { path, bytes } of files)
    archive.addBuffer(bytes, path, { compress: false, mtime: new Date('2000-01-01T00:00:00Z') });
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
