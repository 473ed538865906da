import type { IndexAnswer, IndexQuestion } from './annotation-messages';
import type { Drawing } from './drawn.types';

/** COCO files of a dataset, read once in a worker, so that a file of 100 MB freezes nobody's page. */
export interface CocoSource {
  readonly find: (path: string) => Promise<Drawing | null>;
  readonly close: () => void;
}

type Asked = IndexQuestion extends infer Q ? (Q extends IndexQuestion ? Omit<Q, 'id'> : never) : never;

export async function openCoco(
  files: ReadonlyArray<{ readonly path: string; readonly url: string }>,
): Promise<CocoSource> {
  const worker = new Worker(new URL('./annotation.worker.ts', import.meta.url), { type: 'module' });
  const open = new Map<
    number,
    { resolve: (value: IndexAnswer['value']) => void; reject: (error: Error) => void }
  >();
  let next = 0;
  worker.onmessage = ({ data }: MessageEvent<IndexAnswer>) => {
    const asked = open.get(data.id);
    open.delete(data.id);
    if (data.error !== null) asked?.reject(new Error(data.error));
    else asked?.resolve(data.value);
  };
  const ask = (question: Asked): Promise<IndexAnswer['value']> =>
    new Promise((resolve, reject) => {
      const id = next++;
      open.set(id, { resolve, reject });
      worker.postMessage({ ...question, id });
    });
  try {
    await ask({ kind: 'load', files });
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    find: async (path) => ((await ask({ kind: 'find', paths: [path] })) as Array<Drawing | null>)[0] ?? null,
    close: () => worker.terminate(),
  };
}
