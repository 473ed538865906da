import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { ModelFile } from '../../models/registry/model.types.js';
import type { Download } from '../http/answers/send-download.js';
import { zipStream } from '../http/answers/zip-stream.js';

/**
 * A version of one file is that file; one of several is a ZIP of the model folder, as MLflow's clients expect a model to be
 * a folder (`MLmodel` beside its data).
 */
export function modelDownload(objects: ObjectStore, name: string, files: readonly ModelFile[]): Download {
  const [first] = files;
  if (!first) throw notFound('Model file');
  if (files.length === 1) {
    const open = (signal: AbortSignal) => objects.get(first.objectKey, { signal });
    return {
      fileName: first.path.split('/').at(-1) ?? name,
      mediaType: 'application/octet-stream',
      sizeBytes: first.sizeBytes,
      open,
    };
  }
  const members = files.map((file) => ({
    path: file.path,
    sizeBytes: file.sizeBytes,
    open: (signal: AbortSignal) => objects.get(file.objectKey, { signal }),
  }));
  return {
    fileName: `${name}.zip`,
    mediaType: 'application/zip',
    sizeBytes: null,
    open: async (signal) => zipStream(members, signal),
  };
}
