import { describe, expect, it } from '@jest/globals';
import { freeName, isEndpointName } from '../../../web/src/serving/image-name.ts';

describe('freeName', () => {
  it.each([
    ['digits', [], 'digits'],
    ['digits', ['digits'], 'digits-2'],
    ['digits', ['digits', 'digits-2'], 'digits-3'],
    ['', ['digits'], ''],
  ])('makes of %j beside %j %j', (name, taken, free) => expect(freeName(name, taken)).toBe(free));

  it('stays a name that an endpoint can have', () => {
    const long = `${'a'.repeat(45)}-bcde`;
    expect(isEndpointName(freeName(long, [long]))).toBe(true);
  });
});
