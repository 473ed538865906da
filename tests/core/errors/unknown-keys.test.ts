import { describe, expect, it } from '@jest/globals';
import { unknownKeys } from '../../../core/errors/unknown-keys.js';

describe('unknown keys', () => {
  it('are named with their place and the nearest known one', () => {
    expect(unknownKeys({ os: 'linux', locaton: 'Gate' }, ['location', 'os'], ['body', 'targets'], 9)).toEqual(
      [
        {
          loc: ['body', 'targets', 'locaton'],
          msg: 'is not a known key; did you mean "location"?',
          type: 'extra_forbidden',
        },
      ],
    );
  });

  it('are named up to a limit, however many there are', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key-${n}`, n]));
    expect(unknownKeys(many, ['os'], ['body'], 3)).toHaveLength(3);
    expect(unknownKeys(many, ['os'], ['body'], -1)).toEqual([]);
  });
});
