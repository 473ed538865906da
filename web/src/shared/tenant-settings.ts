import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';

/** Settings of all tenants; global administrators alone may read them. */
export const tenantSettingsQuery = queryOptions({
  queryKey: ['admin', 'tenants'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/settings/tenants', { signal })),
});
