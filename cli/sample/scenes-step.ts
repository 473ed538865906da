import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import yazl from 'yazl';
import type { ApiClient } from './api-client.js';
import { MEMBER_TIME } from './digits.js';

const run = promisify(execFile);

export const SCENES_ID = 'scenes-sample';

/** Scenes with boxes, written once into the sample's folder. @returns it as a ZIP */
export async function exportScenes(
  folder: string,
  runtime: { readonly python: string; readonly programs: string },
): Promise<Buffer> {
  const target = join(folder, 'scenes');
  if (!existsSync(target)) {
    const work = await mkdtemp(join(folder, '.scenes-'));
    try {
      await run(runtime.python, [join(runtime.programs, 'export_scenes.py'), work], { timeout: 120_000 });
      await rename(work, target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  return zipFolder(target);
}

/** Makes the dataset and uploads it, unless it is there: a repeat leaves what people made of it as it is. */
export async function uploadScenes(api: ApiClient, archive: () => Promise<Buffer>): Promise<void> {
  const path = `/api/v1/datasets/${SCENES_ID}`;
  if ((await api.find(path)) === null)
    await api.post('/api/v1/datasets', {
      id: SCENES_ID,
      name: 'Digits in scenes',
      source: 'upload',
      format: 'coco',
    });
  const { total } = await api.get<{ total: number }>(`${path}/files?page=1&page_size=1`);
  if (total > 0) return;
  const { errors } = await api.upload<{ errors: ReadonlyArray<{ message?: string }> }>(
    `${path}/archive`,
    'scenes.zip',
    await archive(),
  );
  if (errors.length > 0)
    throw new Error(
      `${errors.length} files of the scenes were refused, the first because: ${errors[0]?.message ?? 'no reason given'}`,
    );
}

async function zipFolder(folder: string): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort())
    zip.addBuffer(await readFile(file), relative(folder, file), { mtime: MEMBER_TIME, compress: false });
  zip.end();
  return buffer(zip.outputStream);
}
