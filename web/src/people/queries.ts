import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';

/** What belongs to the caller alone and to no tenant. */
export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: ({ signal }) => body(api.GET('/users/me/sessions', { signal })),
});

export const tokensQuery = queryOptions({
  queryKey: ['me', 'tokens'],
  queryFn: ({ signal }) => body(api.GET('/users/me/tokens', { signal })),
});

export const preferencesQuery = queryOptions({
  queryKey: ['me', 'preferences'],
  queryFn: ({ signal }) => body(api.GET('/api/v1/notifications/preferences', { signal })),
});
