import { once } from 'node:events';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { type DirectConnection, Query } from '../direct-connection.js';

/** What `pg` calls on a query while the server copies; its own query does nothing with it. */
interface CopyConnection {
  readonly stream: pg.Connection['stream'];
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

type Done = (error: Error | undefined | null, result?: { rowCount: number | null }) => void;

/**
 * Rows as PostgreSQL writes them, as they come: the server waits while nobody reads. The connection belongs to
 * the copy until the stream has ended, or is ended itself when the stream is given up.
 * @param statement `copy (select ...) to stdout`
 */
export function copyOut(client: DirectConnection, statement: string): Readable {
  let source: CopyConnection['stream'] | null = null;
  const rows = new Readable({
    read: () => void source?.resume(),
    destroy: (error, done) => {
      source?.resume();
      done(error);
    },
  });
  class CopyOut extends Query {
    handleCopyData({ chunk }: { chunk: Buffer }, connection: CopyConnection): void {
      source = connection.stream;
      // What comes is a view into a buffer that the connection fills again.
      if (!rows.destroyed && !rows.push(Buffer.from(chunk))) source.pause();
    }
  }
  const done: Done = (error) => void (error ? rows.destroy(error) : rows.push(null));
  client.query(new CopyOut(statement, done as never));
  return rows;
}

/**
 * Sends rows to a table, no faster than the server takes them.
 * @param statement `copy ... from stdin`
 * @returns how many rows the server stored
 * @throws what the source throws; then nothing of it is stored
 */
export function copyIn(
  client: DirectConnection,
  statement: string,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let failure: unknown = null;
    let isOver = false;
    const send = async (connection: CopyConnection): Promise<void> => {
      try {
        for await (const chunk of source) {
          // The server has refused a row: its answer is on the way.
          if (isOver) return;
          connection.sendCopyFromChunk(chunk);
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
        }
        connection.endCopyFrom();
      } catch (error) {
        failure = error;
        if (!isOver) connection.sendCopyFail('the source of the rows failed');
      }
    };
    class CopyIn extends Query {
      handleCopyInResponse(connection: CopyConnection): void {
        void send(connection);
      }
    }
    const done: Done = (error, result) => {
      isOver = true;
      if (failure !== null) reject(failure as Error);
      else if (error) reject(error);
      else resolve(result?.rowCount ?? 0);
    };
    client.query(new CopyIn(statement, done as never));
  });
}
