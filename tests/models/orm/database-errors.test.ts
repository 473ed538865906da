import { describe, expect, it } from '@jest/globals';
import { LOST_CONNECTION_CODES } from '../../../core/errors/lost-connection.js';
import { isCommitInDoubt, translateCommitError, translateDatabaseError } from '../../../models/orm/errors.js';

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

  describe.each(LOST_CONNECTION_CODES)('with the code %s', (code) => {
    const error = withCode(`read ${code}`, code);

    it('is to be sent again, by itself and wrapped', () => {
      for (const thrown of [error, withCode('', code), new Error('outer', { cause: error })])
        expect(translateDatabaseError(thrown)).toMatchObject({ code: 'service_unavailable' });
    });

    it('leaves a commit in doubt', () => {
      expect(isCommitInDoubt(translateCommitError(error))).toBe(true);
    });
  });

  it('says of a commit that the server refused that nothing was stored', () => {
    for (const code of ['23505', '40001', 'P0001', 'XX000'])
      expect(isCommitInDoubt(translateCommitError(withCode('refused', code)))).toBe(false);
  });

  it('is to be sent again where the partition of a row is not made yet', () => {
    const error = withCode('no partition of relation "telemetry_7" found for row', '23514');
    expect(translateDatabaseError(error)).toMatchObject({ code: 'service_unavailable' });
    const broken = Object.assign(withCode('violates check constraint', '23514'), { constraint: 'a_check' });
    expect(translateDatabaseError(broken)).toBe(broken);
  });

  it('stays what it is where the program is wrong', () => {
    for (const error of [new TypeError('x is undefined'), withCode('syntax error', '42601')])
      expect(translateDatabaseError(error)).toBe(error);
  });
});
