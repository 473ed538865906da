import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query';
import { makeQueryClient } from '../../../web/src/app/query-client.js';

beforeEach(() => onlineManager.setOnline(false));
afterEach(() => onlineManager.setOnline(true));

it('asks the platform though the browser says that it is offline', async () => {
  const client = makeQueryClient(() => undefined);
  const answer = client.fetchQuery({ queryKey: ['answer'], queryFn: () => 'here' });
  expect(client.getQueryState(['answer'])?.fetchStatus).toBe('fetching');
  expect(await answer).toBe('here');
  client.clear();
});

it('does at once, or not at all, what somebody clicks while the browser says that it is offline', async () => {
  const client = makeQueryClient(() => undefined);
  const sent: string[] = [];
  const click = new MutationObserver(client, {
    mutationFn: async (what: string) => {
      sent.push(what);
      throw new Error('cannot be reached');
    },
  });
  const done = click.mutate('roll back').catch((error: Error) => error.message);
  expect(click.getCurrentResult().isPaused).toBe(false);
  expect(await done).toBe('cannot be reached');
  onlineManager.setOnline(true);
  await client.resumePausedMutations();
  expect(sent).toEqual(['roll back']);
  client.clear();
});

it('looks again at what is shown once the browser is back', async () => {
  const client = makeQueryClient(() => undefined);
  client.mount();
  const looks: Array<() => void> = [];
  const look = () => new Promise<void>((resolve) => looks.push(resolve));
  const both = [look(), look()];
  const shown = new QueryObserver(client, {
    ...{ queryKey: ['answer'], staleTime: 0 },
    queryFn: () => {
      looks.shift()?.();
      return 'here';
    },
  });
  const end = shown.subscribe(() => undefined);
  await both[0];
  onlineManager.setOnline(true);
  await both[1];
  expect(looks).toEqual([]);
  end();
  client.unmount();
  client.clear();
});
