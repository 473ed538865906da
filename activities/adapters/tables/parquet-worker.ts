import { parentPort, workerData } from 'node:worker_threads';
import { UnreadableTable } from '../../../core/ports/table-reader.js';
import type { FromWorker, ToWorker, WorkerInput } from './parquet-messages.js';
import { readParquetTable } from './parquet-table.js';

/** Runs in a thread of its own: asks for ranges, answers the sample. */
const port = parentPort as NonNullable<typeof parentPort>;
const { sizeBytes, limit } = workerData as WorkerInput;
const waiting: Array<(bytes: Buffer) => void> = [];
const send = (message: FromWorker) => port.postMessage(message);

port.on('message', ({ bytes }: ToWorker) => waiting.shift()?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));

const source = {
  sizeBytes,
  read: (start: number, end: number) =>
    new Promise<Buffer>((resolve) => {
      waiting.push(resolve);
      send({ kind: 'read', start, end });
    }),
};

readParquetTable(source, limit)
  .then(
    (sample) => send({ kind: 'done', sample }),
    (error: unknown) => send({ kind: 'unreadable', reason: error instanceof UnreadableTable ? error.message : 'its bytes are damaged' }),
  )
  .finally(() => port.close());
