import { Worker } from 'node:worker_threads';
import { Slots } from '../../../core/load/slots.js';
import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import { type TableSample, UnreadableTable } from '../../../core/ports/table-reader.js';
import type { FromWorker, ToWorker, WorkerInput } from './parquet-messages.js';

/** Time to compute between two reads; waiting for the store does not count. */
const COMPUTE_WITHIN_MS = 4000;
const HEAP_MIB = 128;
/** Readers at once, so that memory stays bounded however many ask. */
const AT_ONCE = 2;

const readers = new Slots(AT_ONCE);

/**
 * Reads a Parquet file in a thread with a small heap and little time: runs of a few bytes can stand for billions of
 * values, and only the end of the thread stops a decoder that believes them.
 * @throws UnreadableTable; whatever the source throws passes through
 */
export const readParquetIsolated = (source: RandomAccess, limit: number): Promise<TableSample> => readers.during(() => readApart(source, limit));

async function readApart(source: RandomAccess, limit: number): Promise<TableSample> {
  const workerInput: WorkerInput = { sizeBytes: source.sizeBytes, limit };
  const worker = new Worker(new URL('./parquet-worker.js', import.meta.url), {
    workerData: workerInput,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 16 },
    env: {},
  });
  try {
    return await converse(worker, source);
  } finally {
    await worker.terminate();
  }
}

function converse(worker: Worker, source: RandomAccess): Promise<TableSample> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      timer = setTimeout(() => reject(new UnreadableTable('reading it takes too long')), COMPUTE_WITHIN_MS);
    };
    const answer = async (start: number, end: number) => {
      const reply: ToWorker = { bytes: await source.read(start, end) };
      watch();
      worker.postMessage(reply);
    };
    worker.on('message', (message: FromWorker) => {
      clearTimeout(timer);
      if (message.kind === 'read') answer(message.start, message.end).catch(reject);
      else if (message.kind === 'done') resolve(message.sample);
      else reject(new UnreadableTable(message.reason));
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new UnreadableTable('it takes too much memory to read') : error);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(new UnreadableTable('reading it broke off'));
    });
    watch();
  });
}
