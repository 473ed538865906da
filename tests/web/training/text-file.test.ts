import { expect, it } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { textFileQuery } from '../../../web/src/training/artifacts/text-file.js';
import { runKey } from '../../../web/src/training/tracker/queries.js';

const TENANT = { code: 'demo' } as never;
const ask = (file: string, size: number | null) => ({
  ...textFileQuery(TENANT, 'r1', file, size),
  enabled: false,
});

it('reads a file of a run again with all that belongs to the run', async () => {
  const client = new QueryClient();
  client.setQueryData(ask('report.json', 10).queryKey, { content: 'one', isCut: false });
  await client.invalidateQueries({ queryKey: runKey(TENANT, 'r1') });
  expect(client.getQueryState(ask('report.json', 10).queryKey)?.isInvalidated).toBe(true);
  client.clear();
});

it('reads a file again when it has grown, and shows what it held till then', () => {
  const client = new QueryClient();
  client.setQueryData(ask('report.json', 10).queryKey, { content: 'one', isCut: false });
  const shown = new QueryObserver(client, ask('report.json', 10));
  const end = shown.subscribe(() => undefined);
  shown.setOptions(ask('report.json', 20));
  expect(shown.getCurrentResult()).toMatchObject({ isPlaceholderData: true, data: { content: 'one' } });
  shown.setOptions(ask('other.json', 20));
  expect(shown.getCurrentResult().data).toBeUndefined();
  end();
  client.clear();
});
