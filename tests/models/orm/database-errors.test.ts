import { describe, expect, it } from '@jest/globals';
import { translateDatabaseError } from '../../../models/orm/errors.js';

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('what the driver throws', () => {
  it.each([
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('timeout exceeded when trying to connect'),
    withCode('read ECONNRESET', 'ECONNRESET'),
    withCode('terminating connection due to administrator command', '57P01'),
    withCode('deadlock detected', '40P01'),
    new Error('outer', { cause: withCode('sorry, too many clients already', '53300') }),
  ])('is to be sent again where the database was away: %s', (error) => {
    expect(translateDatabaseError(error)).toMatchObject({ code: 'service_unavailable' });
  });

  it('stays what it is where the program is wrong', () => {
    for (const error of [new TypeError('x is undefined'), withCode('syntax error', '42601')])
      expect(translateDatabaseError(error)).toBe(error);
  });
});
