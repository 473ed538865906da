import { expect, it } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepWithin } from '../../../web/src/shared/keep-within.js';

const never = new Promise<string>(() => {});

const optionsOf = (model: string, page: number, queryFn: () => Promise<string>) => ({
  queryKey: ['demo', 'models', model, page],
  queryFn,
  placeholderData: keepWithin(['demo', 'models', model]),
});

it('keeps what was read of the same thing while another part of it is read, and nothing of another thing', async () => {
  const observer = new QueryObserver(
    new QueryClient(),
    optionsOf('digits', 1, async () => 'first page'),
  );
  const stop = observer.subscribe(() => {});
  await observer.refetch();
  observer.setOptions(optionsOf('digits', 2, () => never));
  expect(observer.getCurrentResult()).toMatchObject({ data: 'first page', isPlaceholderData: true });
  observer.setOptions(optionsOf('letters', 2, () => never));
  expect(observer.getCurrentResult()).toMatchObject({ data: undefined, isPending: true });
  stop();
});
