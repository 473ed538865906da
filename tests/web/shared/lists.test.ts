import { describe, expect, it } from '@jest/globals';
import { searchOf, withAddress } from '../../../web/src/shared/list/typed-search.js';

describe('a search box', () => {
  it('keeps what is typed when its own word comes back in the address', () => {
    const paused = { ...searchOf(''), typed: 'digits ', sent: 'digits' };
    const back = withAddress(paused, 'digits');
    expect(back.typed).toBe('digits ');
    expect(withAddress({ ...paused, typed: 'digits new' }, 'digits').typed).toBe('digits new');
    expect(back.address).toBe('digits');
  });

  it('shows a word that the address has got otherwise', () => {
    const sent = withAddress({ ...searchOf(''), typed: 'digits ', sent: 'digits' }, 'digits');
    expect(withAddress(sent, '')).toEqual(searchOf(''));
    expect(withAddress(sent, 'cats').typed).toBe('cats');
  });
});
