import { Worker } from 'node:worker_threads';
import { SharedSlots } from '../../core/load/shared-slots.js';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import { unavailable } from '../../core/errors/app-error.js';
import { type TableAsker, type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import type { FromWorker, ToWorker, WorkerInput } from './parquet-messages.js';

/** Processor time between two reads: neither waiting for the store counts nor for a processor. */
const COMPUTE_WITHIN_MS = 4000;
/** Maximum wait for a processor. */
const PATIENCE_MS = 30_000;
/** Processor time is looked at no more often. */
const LOOK_EVERY_MS = 100;
const HEAP_MIB = 128;
/** Readers at once, so that memory stays bounded however many ask; one tenant's leave one to the others. */
const AT_ONCE = 2;
const OF_A_TENANT = 1;
/** Tables of one tenant that are read or wait. */
const AHEAD = 32;

const readers = new SharedSlots(AT_ONCE, OF_A_TENANT);

/**
 * Reads a Parquet file in a thread with a small heap and little time: runs of a few bytes can stand for billions of
 * values, and only the end of the thread stops a decoder that believes them.
 * @throws UnreadableTable; AppError service_unavailable where the machine is too busy or the tenant has too many tables waiting; the reason of the
 * asker's signal; whatever the source throws passes through
 */
export async function readParquetIsolated(
  source: RandomAccess,
  limit: number,
  { tenantId, signal }: TableAsker,
  patienceMs = PATIENCE_MS,
): Promise<TableSample> {
  if (readers.ahead(tenantId) >= AHEAD)
    throw unavailable('Too many tables are being read; ask again in a moment.', undefined, 2);
  return readers.during(tenantId, () => readApart(source, limit, patienceMs), signal);
}

async function readApart(source: RandomAccess, limit: number, patienceMs: number): Promise<TableSample> {
  const workerInput: WorkerInput = { sizeBytes: source.sizeBytes, limit };
  const worker = new Worker(new URL('./parquet-worker.js', import.meta.url), {
    workerData: workerInput,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 16 },
    env: {},
  });
  try {
    return await converse(worker, source, patienceMs);
  } finally {
    await worker.terminate();
  }
}

function converse(worker: Worker, source: RandomAccess, patienceMs: number): Promise<TableSample> {
  return new Promise((resolve, reject) => {
    let stop = watchComputing(worker, patienceMs, reject);
    /** Ranges asked for and not answered yet: while there are any, it is the store that is waited for. */
    let reads = 0;
    const answer = async ({ id, start, end }: Extract<FromWorker, { kind: 'read' }>) => {
      reads += 1;
      const reply: ToWorker = { id, bytes: await source.read(start, end) };
      reads -= 1;
      stop();
      if (reads === 0) stop = watchComputing(worker, patienceMs, reject);
      worker.postMessage(reply);
    };
    worker.on('message', (message: FromWorker) => {
      stop();
      if (message.kind === 'read') answer(message).catch(reject);
      else if (message.kind === 'done') resolve(message.sample);
      else reject(new UnreadableTable(message.reason));
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      stop();
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? new UnreadableTable('it takes too much memory to read')
          : error,
      );
    });
    worker.on('exit', () => {
      // What is answered from now on is computed by nobody.
      reads = Number.POSITIVE_INFINITY;
      stop();
      reject(new UnreadableTable('reading it broke off'));
    });
  });
}

/** Rejects once the thread has computed for too long, or could not for want of a processor. @returns what ends the watch */
function watchComputing(worker: Worker, patienceMs: number, reject: (reason: Error) => void): () => void {
  let isOver = false;
  const before = computedMs(worker);
  const look = async (): Promise<void> => {
    const computed = (await computedMs(worker)) - (await before);
    if (isOver) return;
    if (computed >= COMPUTE_WITHIN_MS) reject(new UnreadableTable('reading it takes too long'));
    else timer = setTimeout(() => void look(), Math.max(LOOK_EVERY_MS, COMPUTE_WITHIN_MS - computed));
  };
  let timer = setTimeout(() => void look(), COMPUTE_WITHIN_MS);
  const late = setTimeout(
    () => reject(unavailable('The machine is too busy to read tables; try again later.', undefined, 30)),
    patienceMs,
  );
  return () => {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(late);
  };
}

/** Processor time of the thread so far; 0 where it does not run; its end reports that. */
const computedMs = (worker: Worker): Promise<number> =>
  worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1000,
    () => 0,
  );
