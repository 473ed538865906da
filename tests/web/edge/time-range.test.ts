import { describe, expect, it } from '@jest/globals';
import {
  boundsOf,
  domainOf,
  isRange,
  rangeOf,
  zoomed,
} from '../../../web/src/shared/time-range/time-range.js';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const HOUR_S = 3600;

describe('the range of time of charts', () => {
  it.each([
    [{}, '24h'],
    [{ range: '6h' }, '6h'],
    [{ range: 'constructor' }, '24h'],
    [{ range: '7d', from: 'soon' }, '7d'],
  ])('of %j is the last %s', (words, span) => expect(rangeOf(words)).toEqual({ span }));

  it('stays an own one while its end is none', () => {
    const from = '2026-11-27T10:00:00Z';
    const open = { span: null, from: NOW, to: null };
    for (const to of [undefined, '', 'soon', from, '2026-11-27T09:00:00Z'])
      expect(rangeOf({ range: '1h', from, to })).toEqual(open);
  });

  it.each([
    [{ from: '2026-11-27T10:00:00Z', to: '2026-11-27T10:00:01Z' }, true],
    [{ from: '2026-11-27T10:00:00Z' }, true],
    [{ from: '2026-11-27T10:00:00Z', to: '2026-11-27T10:00:00Z' }, false],
    [{ to: '2026-11-27T10:00:00Z' }, false],
  ])('is made of %j: %s', (words, isOne) => expect(isRange(words)).toBe(isOne));

  it('asks for the last hours up to now, and for what was chosen between its two moments', () => {
    expect(boundsOf({ span: '6h' }, NOW)).toEqual({ since: '2026-11-27T04:00:00.000Z' });
    const chosen = rangeOf({ range: '1h', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' });
    expect(boundsOf(chosen, NOW)).toEqual({
      since: '2026-11-20T00:00:00.000Z',
      until: '2026-11-21T00:00:00.000Z',
    });
  });

  it('shows the last hours from their first point up to now, and what was chosen as a whole', () => {
    const now = NOW / 1000;
    expect(domainOf({ span: '1h' }, NOW, [])).toEqual([now - HOUR_S, now]);
    expect(domainOf({ span: '1h' }, NOW, [now - 60, now - 90])).toEqual([now - 90, now]);
    expect(domainOf({ span: '1h' }, NOW, [now - 2 * HOUR_S, now + 5])).toEqual([now - 2 * HOUR_S, now + 5]);
    const chosen = rangeOf({ from: '2026-11-27T08:00:00Z', to: '2026-11-27T09:00:00Z' });
    expect(domainOf(chosen, NOW, [now])).toEqual([now - 2 * HOUR_S, now - HOUR_S]);
  });

  it('of a zoom is read back from its words, and is never empty', () => {
    const [from, to] = [NOW / 1000 - 600.25, NOW / 1000 - 300.5];
    expect(domainOf(rangeOf(zoomed([from, to])), NOW, [])).toEqual([from, to]);
    const none = domainOf(rangeOf(zoomed([from, from])), NOW, []);
    expect(none[1] - none[0]).toBe(1);
  });
});
