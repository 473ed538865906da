import type { CocoAnswer, CocoQuestion, CocoSource } from './coco-messages';
import type { Outline } from './drawn.types';

interface Asked {
  readonly resolve: (outlines: readonly Outline[]) => void;
  readonly reject: (error: Error) => void;
}

const open = new Map<number, Asked>();
let next = 0;
let worker: Worker | null = null;

/** Outlines that a COCO file has in an entry. A worker of the page reads it, so that a file of 100 MB freezes nobody's page. */
export const cocoOutlines = (source: CocoSource): Promise<readonly Outline[]> =>
  new Promise((resolve, reject) => {
    worker ??= startWorker();
    const question: CocoQuestion = { id: next++, ...source };
    open.set(question.id, { resolve, reject });
    worker.postMessage(question);
  });

function startWorker(): Worker {
  const started = new Worker(new URL('./coco.worker.ts', import.meta.url), { type: 'module' });
  started.onmessage = ({ data }: MessageEvent<CocoAnswer>) => {
    const asked = open.get(data.id);
    open.delete(data.id);
    if (data.error !== null) asked?.reject(new Error(data.error));
    else asked?.resolve(data.outlines);
  };
  // One that fell over is replaced when somebody asks again.
  started.onerror = () => {
    worker = null;
    started.terminate();
    for (const { reject } of open.values()) reject(new Error('the annotation file could not be read'));
    open.clear();
  };
  return started;
}
