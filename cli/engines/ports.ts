import { createServer } from 'node:net';

/** True when this port of the loopback address can be listened on now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function anyFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}

/**
 * Free ports, each different. A wanted port is kept when it is free.
 * @param wanted one entry for each port; undefined means any
 */
export async function choosePorts(wanted: ReadonlyArray<number | undefined>): Promise<number[]> {
  const chosen: number[] = [];
  for (const port of wanted) {
    if (port !== undefined && !chosen.includes(port) && (await isPortFree(port))) chosen.push(port);
    else chosen.push(await freePortBeside(chosen));
  }
  return chosen;
}

async function freePortBeside(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await anyFreePort();
    if (!taken.includes(port)) return port;
  }
}

/** A port whose neighbour `offset` above it is free too. */
export async function choosePortPair(wanted: number | undefined, offset: number): Promise<number> {
  if (wanted !== undefined && (await isPortFree(wanted)) && (await isPortFree(wanted + offset)))
    return wanted;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if ((await isPortFree(port)) && (await isPortFree(port + offset))) return port;
  }
  throw new Error(`No free pair of ports ${offset} apart was found.`);
}
