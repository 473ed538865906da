import pg from 'pg';
import { KEEP_ALIVE } from './pools.js';

export type DirectConnection = pg.Client;
export type DirectPool = pg.Pool;

/** A connection of one's own beside the pools, for locks and LISTEN, which last longer than a transaction. */
export const directConnection = (config: pg.ClientConfig): DirectConnection =>
  new pg.Client({ ...KEEP_ALIVE, ...config });

/** Connections past any pooler that are made when needed and kept for no longer than that. */
export function directPool(config: pg.PoolConfig): DirectPool {
  const pool = new pg.Pool({
    ...KEEP_ALIVE,
    idleTimeoutMillis: 1000,
    connectionTimeoutMillis: 5000,
    ...config,
  });
  pool.on('error', () => undefined);
  return pool;
}

export const { escapeIdentifier, escapeLiteral, Query } = pg;
