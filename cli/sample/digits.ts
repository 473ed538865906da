import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yazl from 'yazl';
import { ensureRuntimeVenv } from '../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { projectRoot } from '../engines/engine-lock.js';
import type { Report } from '../terminal/progress.js';

const run = promisify(execFile);

/** Kept apart: training, validation and testing never see them. */
export const HELD_BACK = 200;
/** A ZIP member needs a time: a fixed one makes the archive the same each time. */
export const MEMBER_TIME = new Date('2000-01-01T00:00:00Z');

export interface Digit {
  readonly label: string;
  readonly path: string;
}

export interface Digits {
  readonly uploaded: readonly Digit[];
  readonly heldBack: readonly Digit[];
}

/** The Python environment that the training runtime uses, made once and cached. */
export async function prepareRuntime(
  report: Report,
  signal: AbortSignal,
): Promise<{ python: string; programs: string }> {
  return ensureRuntimeVenv({
    runtime: 'sklearn',
    runtimesDir: join(projectRoot(), 'docker/runtimes'),
    cacheDir: defaultCacheDir(),
    signal,
    onProgress: ({ fraction, text }) => report(fraction, text),
  });
}

/** scikit-learn's 1,797 scans as PNG files in class folders, written once into the sample's folder. */
export async function exportDigits(
  folder: string,
  runtime: { python: string; programs: string },
): Promise<Digits> {
  const target = join(folder, 'digits');
  if (!existsSync(target)) {
    const work = await mkdtemp(join(folder, '.digits-'));
    try {
      const args = [
        join(runtime.programs, 'export_digits.py'),
        join(work, 'upload'),
        '--holdback',
        String(HELD_BACK),
        '--holdback-dir',
        join(work, 'held-back'),
      ];
      await run(runtime.python, args, { timeout: 120_000 });
      await rename(work, target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return {
    uploaded: await digitsIn(join(target, 'upload')),
    heldBack: await digitsIn(join(target, 'held-back')),
  };
}

async function digitsIn(folder: string): Promise<Digit[]> {
  const labels = (await readdir(folder)).sort();
  const lists = await Promise.all(
    labels.map(async (label) =>
      (await readdir(join(folder, label))).sort().map((name) => ({ label, path: join(folder, label, name) })),
    ),
  );
  return lists.flat();
}

/** One folder for each class, as the dataset's upload wants it. */
export async function zipDigits(digits: readonly Digit[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const digit of digits)
    zip.addBuffer(await readFile(digit.path), `${digit.label}/${basename(digit.path)}`, {
      mtime: MEMBER_TIME,
      compress: false,
    });
  zip.end();
  return buffer(zip.outputStream);
}
