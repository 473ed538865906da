import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Following } from '../../../web/src/shared/log/following.ts';
import type { LogText } from '../../../web/src/shared/log/log-lines.ts';
import { LogReader } from '../../../web/src/shared/log/log-reader.ts';

const original = globalThis.fetch;
let bytes: Buffer;
/** Ranges that were asked for, with the number of bytes that came. */
let asked: [range: string | null, bytes: number][];

beforeEach(() => {
  asked = [];
  globalThis.fetch = (_url, init) => {
    const range = new Headers(init?.headers).get('range');
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
    const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from ?? 0);
    if (range !== null && start >= bytes.length) return Promise.resolve(new Response(null, { status: 416 }));
    const part = bytes.subarray(start);
    asked.push([range, part.length]);
    const headers = new Headers();
    if (range !== null) headers.set('content-range', `bytes ${start}-${bytes.length - 1}/${bytes.length}`);
    return Promise.resolve(new Response(new Uint8Array(part), { status: range ? 206 : 200, headers }));
  };
});
afterEach(() => {
  globalThis.fetch = original;
});

const lines = (from: number, to: number): Buffer =>
  Buffer.from(Array.from({ length: to - from }, (_, at) => `line ${from + at} ä\n`).join(''));

const WANTED = {
  wantsAll: false,
  onTail: () => Promise.resolve(),
  signal: new AbortController().signal,
};

describe('a log that grows', () => {
  it('is read by its end first, and later only by what was added', async () => {
    bytes = Buffer.concat([lines(0, 40_000), Buffer.from('half ')]);
    const reader = new LogReader('/log');
    const { text } = await reader.read(WANTED);
    expect(text.lines).toHaveLength(40_000);
    expect(text.open).toBe('half ');
    expect(asked.map(([range]) => range)).toEqual(['bytes=-262144', null]);
    asked = [];
    bytes = Buffer.concat([bytes, Buffer.from('and whole\n'), lines(40_001, 40_010)]);
    const grown = await reader.read(WANTED);
    expect(grown.text.lines).toHaveLength(40_010);
    expect(grown.text.lines.slice(39_999, 40_002)).toEqual([
      'line 39999 ä',
      'half and whole',
      'line 40001 ä',
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.[1]).toBeLessThan(2048);
  });

  it('is read anew after another attempt, which begins with other bytes', async () => {
    bytes = lines(0, 10);
    const reader = new LogReader('/log');
    await reader.read(WANTED);
    bytes = lines(20, 40);
    expect((await reader.read(WANTED)).text.lines).toHaveLength(20);
    bytes = lines(3, 4);
    expect((await reader.read(WANTED)).text.lines).toEqual(['line 3 ä']);
  });

  it('stays its end while it is long, until somebody asks for all of it', async () => {
    bytes = Buffer.alloc(65 * 1024 * 1024, 'a line of forty letters, more or less..\n');
    const reader = new LogReader('/log');
    const { text, restOf } = await reader.read(WANTED);
    expect([text.isTail, restOf]).toEqual([true, bytes.length]);
    expect(asked.map(([range]) => range)).toEqual(['bytes=-262144']);
    const whole = await reader.read({ ...WANTED, wantsAll: true });
    expect([whole.text.isTail, whole.restOf]).toEqual([false, null]);
  });

  it('is empty before anything is written', async () => {
    bytes = Buffer.alloc(0);
    const reader = new LogReader('/log');
    expect((await reader.read(WANTED)).text.lines).toEqual([]);
    bytes = lines(0, 2);
    expect((await reader.read(WANTED)).text.lines).toEqual(['line 0 ä', 'line 1 ä']);
  });
});

it('joins what is read with what the stream brings, and looks once more after a gap in the middle of a look', async () => {
  const shown: (readonly string[])[] = [];
  const answers: ((text: LogText) => void)[] = [];
  const following = new Following({
    read: () => new Promise((resolve) => answers.push(resolve)),
    show: ({ lines, open }) => shown.push(open === '' ? lines : [...lines, open]),
    fail: (error) => shown.push([String(error)]),
  });
  const text = (open: string, ...read: string[]): LogText => ({ lines: read, open, isTail: false });
  const answer = async (read: LogText) => {
    answers.shift()?.(read);
    await new Promise((resolve) => setImmediate(resolve));
  };
  following.look();
  following.add(['b', 'c']);
  following.look();
  following.look();
  await answer(text('', 'a'));
  expect([answers.length, shown]).toEqual([1, []]);
  await answer(text('c so f', 'a', 'b'));
  expect(shown.at(-1)).toEqual(['a', 'b', 'c']);
  following.add(['d']);
  expect(shown.at(-1)).toEqual(['a', 'b', 'c', 'd']);
});
