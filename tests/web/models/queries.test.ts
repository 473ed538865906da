import { expect, it } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { approvalQuery, compareQuery } from '../../../web/src/models/queries.js';
import { tenantSettingsQuery } from '../../../web/src/shared/tenant-settings.js';

const TENANT = { code: 'demo' } as never;

it('knows the rule of promotions from the settings as they were read last', () => {
  const client = new QueryClient();
  const set = (promotion_approval: boolean) =>
    client.setQueryData(tenantSettingsQuery.queryKey, {
      items: [{ code: 'demo', features: { promotion_approval } }],
    } as never);
  const rule = new QueryObserver(client, approvalQuery('demo', false));
  set(false);
  expect(rule.getOptimisticResult(client.defaultQueryOptions(approvalQuery('demo', false))).data).toBe(false);
  set(true);
  expect(rule.getOptimisticResult(client.defaultQueryOptions(approvalQuery('demo', false))).data).toBe(true);
  client.clear();
});

it('shows no other versions while those that were chosen are read', () => {
  const client = new QueryClient();
  const ask = (to: number) => ({ ...compareQuery(TENANT, 'digits', 1, to), enabled: false });
  client.setQueryData(ask(2).queryKey, { to: { version: 2 } } as never);
  const shown = new QueryObserver(client, ask(2));
  const end = shown.subscribe(() => undefined);
  expect(shown.getCurrentResult().data?.to.version).toBe(2);
  shown.setOptions(ask(3));
  expect(shown.getCurrentResult().data).toBeUndefined();
  end();
  client.clear();
});
