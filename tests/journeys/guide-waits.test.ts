import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf, GUIDES_FOLDER, runInShell } from './support/guide-shell.js';

/** That of the block of the first guide that defines it. */
const SETTLED = /^settled\(\) \{[\s\S]*?^\}$/m.exec(blocksOf('first-calls.md').join('\n'))?.[0] ?? '';

describe('the waiting of the guides', () => {
  let server: Server;
  let base: string;
  let answers: object[] = [];
  beforeAll(async () => {
    server = createServer((_req, res) => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      res.writeHead('message' in (answer ?? {}) ? 404 : 200).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const waited = async (...given: object[]) => {
    answers = given;
    const { code, output } = await runInShell(
      `A=a: T=t:\n${SETTLED}\nsettled READY $B/image\n`,
      base,
      tmpdir(),
      20_000,
    );
    // The shell may have words of its own about its start.
    return { code, reported: output.split('\n').filter((line) => line.startsWith('{')) };
  };

  it('ends with the wanted state', async () => {
    expect(await waited({ status: 'BUILDING' }, { status: 'READY' })).toEqual({ code: 0, reported: [] });
  });

  it.each(['FAILED', 'canceled', 'STOPPED'])('ends with what came instead: %s', async (status) => {
    const answer = { status, status_message: 'This is why.' };
    expect(await waited({ status: 'BUILDING' }, answer)).toEqual({
      code: 1,
      reported: [JSON.stringify(answer)],
    });
  });

  it('ends with a refusal', async () => {
    const { code, reported } = await waited({ code: 'not_found', message: 'There is none.' });
    expect([code, reported.at(-1)]).toEqual([1, expect.stringContaining('There is none.')]);
  });

  it('is that of all of them', () => {
    const guides = readdirSync(GUIDES_FOLDER).filter((name) => name.endsWith('.md'));
    const loops = guides.flatMap((name) =>
      blocksOf(name).filter((block) => /until curl|while curl/.test(block)),
    );
    expect(loops).toEqual([]);
  });
});
