import type { ObjectStore } from '../../core/ports/object-store.js';
import { readAll } from '../objects/object-reader.js';
import type { ModelFile } from './model.types.js';

/** Larger descriptions of a model are not read. */
const MAX_DESCRIPTION_BYTES = 1024 * 1024;

/** A text that describes a model, such as `MLmodel`; null where the folder has none, or one that is too large. */
export async function readModelText(
  objects: ObjectStore,
  files: readonly ModelFile[],
  path: string,
): Promise<string | null> {
  const file = files.find((each) => each.path === path);
  if (!file || file.sizeBytes > MAX_DESCRIPTION_BYTES) return null;
  const bytes = await readAll(await objects.get(file.objectKey), file.sizeBytes);
  return bytes.toString('utf8');
}
