import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventStream } from '../../../web/src/api/event-stream.js';

/** A connection that the test opens, breaks and speaks through. */
class Source extends EventTarget {
  isClosed = false;
  onopen = () => {};
  onerror = () => {};
  close(): void {
    this.isClosed = true;
  }
  say(name: string, data: unknown): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  }
}

class Page extends EventTarget {
  hidden = false;
  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('a stream of events', () => {
  let sources: Source[];
  let page: Page;
  let hints: unknown[];
  const last = () => sources.at(-1) as Source;
  const isOpen = () => sources.map(({ isClosed }) => !isClosed);

  function follow(): EventStream {
    const connect = () => {
      sources.push(new Source());
      return last() as unknown as EventSource;
    };
    return new EventStream('/stream', ['step'], (data, event) => hints.push(event === null ? 'all' : data), {
      connect,
      page: page as unknown as Document,
    });
  }

  beforeEach(() => {
    jest.useFakeTimers();
    [sources, page, hints] = [[], new Page(), []];
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is closed while nobody sees the page; afterwards all is read once more', () => {
    const stream = follow();
    last().onopen();
    last().say('step', { step: 'train' });
    expect(hints).toEqual([{ step: 'train' }]);
    page.turn(true);
    jest.advanceTimersByTime(600_000);
    expect(isOpen()).toEqual([false]);
    page.turn(false);
    expect(isOpen()).toEqual([false, true]);
    last().onopen();
    expect(hints).toEqual([{ step: 'train' }, 'all']);
    stream.end();
    page.turn(true);
    page.turn(false);
    expect(isOpen()).toEqual([false, false]);
  });

  it('is not opened by a page that comes up behind another', () => {
    page.hidden = true;
    follow();
    expect(sources).toEqual([]);
    page.turn(false);
    last().onopen();
    expect(hints).toEqual(['all']);
  });

  it('is tried again after longer and longer breaks, but not while nobody sees the page', () => {
    follow();
    last().onerror();
    jest.advanceTimersByTime(1000);
    last().onerror();
    expect(hints).toEqual(['all']);
    jest.advanceTimersByTime(1999);
    expect(sources).toHaveLength(2);
    page.turn(true);
    jest.advanceTimersByTime(600_000);
    expect(sources).toHaveLength(2);
    page.turn(false);
    last().onopen();
    expect(hints).toEqual(['all', 'all']);
  });
});
