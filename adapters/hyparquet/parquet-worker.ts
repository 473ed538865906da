import { parentPort, workerData } from 'node:worker_threads';
import { UnreadableTable } from '../../core/ports/table-reader.js';
import type { FromWorker, ToWorker, WorkerInput } from './parquet-messages.js';
import { readParquetTable } from './parquet-table.js';

/** Runs in a thread of its own: asks for ranges, answers the sample. */
const port = parentPort as NonNullable<typeof parentPort>;
const { sizeBytes, limit } = workerData as WorkerInput;
const waiting = new Map<number, (bytes: Buffer) => void>();
let asked = 0;
const send = (message: FromWorker) => port.postMessage(message);

port.on('message', ({ id, bytes }: ToWorker) => {
  waiting.get(id)?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  waiting.delete(id);
});

const source = {
  sizeBytes,
  read: (start: number, end: number) =>
    new Promise<Buffer>((resolve) => {
      const id = asked++;
      waiting.set(id, resolve);
      send({ kind: 'read', id, start, end });
    }),
};

readParquetTable(source, limit)
  .then(
    (sample) => send({ kind: 'done', sample }),
    (error: unknown) =>
      send({
        kind: 'unreadable',
        reason: error instanceof UnreadableTable ? error.message : 'its bytes are damaged',
      }),
  )
  .finally(() => port.close());
