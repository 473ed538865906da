import pg from 'pg';

export type DirectConnection = pg.Client;

/** A connection of one's own beside the pools, for locks and LISTEN, which last longer than a transaction. */
export const directConnection = (config: pg.ClientConfig): DirectConnection =>
  new pg.Client({ keepAlive: true, ...config });

export const { escapeIdentifier, escapeLiteral, Query } = pg;
