import { expect, it } from '@jest/globals';
import { ApiError } from '../../../web/src/api/errors.js';
import { each } from '../../../web/src/shared/list/each.js';

it('goes on after a failure and says for each row why it failed', async () => {
  const called: string[] = [];
  const failed = each([{ name: 'a' }, { name: 'b' }, { name: 'c' }], async ({ name }) => {
    called.push(name);
    if (name !== 'b') throw new ApiError(409, 'conflict', `${name} has ended`, `id-${name}`);
  });
  await expect(failed).rejects.toMatchObject({
    status: 409,
    message: '1 of 3 done',
    errorId: 'id-a',
    findings: [
      { field: 'a', message: 'a has ended' },
      { field: 'c', message: 'c has ended' },
    ],
  });
  expect(called).toEqual(['a', 'b', 'c']);
});

it('says nothing where all went well', async () => {
  await expect(each([{ name: 'a' }], async () => 1)).resolves.toBeUndefined();
});
