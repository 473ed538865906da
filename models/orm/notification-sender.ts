import { directConnection } from './direct-connection.js';

/**
 * Sends over a connection made for it alone, which reaches the server that takes connections now.
 * @returns whether that could be done
 */
export async function sendNotification(
  to: { readonly connectionString: string; readonly applicationName: string },
  channel: string,
  timeoutMs: number,
): Promise<boolean> {
  const client = directConnection({
    connectionString: to.connectionString,
    application_name: `${to.applicationName}-test`,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query("select pg_notify($1, '')", [channel]);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
