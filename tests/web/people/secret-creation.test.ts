import { describe, expect, it } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { secretCreation } from '../../../web/src/shared/secret-creation.js';

describe('what is shown only once', () => {
  it('is there before anything is read again', async () => {
    const never = new Promise<void>(() => {});
    const observer = new MutationObserver(
      new QueryClient(),
      secretCreation(
        async (name: string) => ({ name, token: 'secret' }),
        () => never,
      ),
    );
    expect(await observer.mutate('bot')).toEqual({ name: 'bot', token: 'secret' });
    expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: { token: 'secret' } });
  });
});
