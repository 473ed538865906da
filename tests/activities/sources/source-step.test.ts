import { describe, expect, it } from '@jest/globals';
import { stepAfter } from '../../../activities/sources/source-step.js';
import { sourceFailure } from '../../../adapters/http/source-failures.js';

const MINUTE = 60_000;
const ofHour = { signal: new AbortController().signal, cut: null, forMs: 60 * MINUTE };

/** A source that asks for so many seconds, at its n-th answer in a row and so long after the first. */
const step = (retryAfterS: number | undefined, tries: number, awayMs: number) =>
  stepAfter(
    sourceFailure(
      'busy',
      'The source answers 429.',
      'Try again later.',
      retryAfterS === undefined ? {} : { retryAfterS },
    ),
    { ...ofHour, progress: { sourceAway: async () => ({ tries, awayMs }) } },
  );

describe('a source that is away', () => {
  it.each([
    ['is left alone for as long as it asks', 20 * 60, 1, 0, 20 * MINUTE],
    ['is left alone for longer when it was asked often', 1, 5, 10_000, 8000],
    ['is asked once more when patience ends, whatever it asks for', 3600, 2, 45 * MINUTE, 15 * MINUTE],
    ['is asked every 30 s when it says nothing', undefined, 20, 10 * MINUTE, 30_000],
  ])('%s', async (_what, retryAfterS, tries, awayMs, forMs) => {
    expect(await step(retryAfterS, tries, awayMs)).toEqual({ is: 'away', forMs });
  });

  it.each([
    ['asks for more', 3600],
    ['says nothing', undefined],
  ])('is given up once patience is used up, when it %s', async (_what, retryAfterS) => {
    await expect(step(retryAfterS, 9, 60 * MINUTE)).rejects.toMatchObject({
      message: expect.stringContaining('The source answers 429.'),
    });
  });
});
