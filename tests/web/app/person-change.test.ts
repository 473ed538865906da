import { expect, it } from '@jest/globals';
import { personChange } from '../../../web/src/app/person-change.ts';

it('goes on for the same person, leaves with the sign-out, and begins anew for somebody else', () => {
  const done: string[] = [];
  const hear = personChange({
    goOn: () => done.push('go on'),
    leave: () => done.push('leave'),
    beginAnew: () => done.push('begin anew'),
  });
  for (const here of [null, 'ada', 'ada', 'bob', null, null, 'ada']) {
    done.push(`${here}:`);
    hear(here);
  }
  expect(done.join(' ')).toBe('null: ada: go on ada: go on bob: begin anew null: leave null: ada: go on');
});
