import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import { TenantAgents } from '../../../adapters/http/tenant-agents.js';

describe('agents of tenants', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((_req, res) => {
      res.write('begun, ');
      setTimeout(() => res.end('done'), 200);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  it('are kept while they are few; those that end let bodies be read to their end and calls under way go on', async () => {
    const made: string[] = [];
    const agents = new TenantAgents((tenantId) => {
      made.push(tenantId);
      return new Agent();
    }, 2);
    const call = (tenantId: string) => agents.during(tenantId, (dispatcher) => request(url, { dispatcher }));
    const bodies = [await call('a'), await call('b'), await call('a')];
    // Two requests of one call, between which others come: its agent stays.
    const twice = agents.during('c', async (dispatcher) => {
      await (await request(url, { dispatcher })).body.dump();
      await sleep(300);
      return request(url, { dispatcher });
    });
    bodies.push(await call('d'), await call('e'), await twice);
    expect(await Promise.all(bodies.map(({ body }) => body.text()))).toEqual(Array(6).fill('begun, done'));
    expect(made).toEqual(['a', 'b', 'c', 'd', 'e']);
    await (await call('e')).body.dump();
    expect(made).toHaveLength(5);
    await (await call('a')).body.dump();
    expect(made).toHaveLength(6);
    await agents.destroy();
  });
});
