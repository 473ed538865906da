import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, body } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Role } from '../queries';

const ofUser = (id: string) => ({ params: { path: { user_id: id } } });

/** What administrators do with accounts; each call answers the account as it is afterwards. */
export const userCalls = {
  setRole: (id: string, tenant: string, role: Role) =>
    body(
      api.PATCH('/api/v1/system/users/{user_id}/role', {
        ...ofUser(id),
        body: { tenant_code: tenant, role },
      }),
    ),
  takeRole: (id: string, tenant: string) =>
    body(
      api.DELETE('/api/v1/system/users/{user_id}/role', {
        params: { path: { user_id: id }, query: { tenant } },
      }),
    ),
  disable: (id: string) => body(api.POST('/api/v1/system/users/{user_id}/disable', ofUser(id))),
  enable: (id: string) => body(api.POST('/api/v1/system/users/{user_id}/enable', ofUser(id))),
  makeAdmin: (id: string) => body(api.POST('/api/v1/system/users/{user_id}/global-admin', ofUser(id))),
  takeAdmin: (id: string) => body(api.DELETE('/api/v1/system/users/{user_id}/global-admin', ofUser(id))),
  remove: (id: string) => body(api.DELETE('/api/v1/system/users/{user_id}', ofUser(id))),
};

/** Reads lists of people again, and the caller's own rights, which may be what was changed. */
export function useRefreshedUsers(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      [['admin', 'users'], ['me'], ['tenants']].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
}

/** One change of one account; what came of it is said in a corner of the page. */
export function useUserChange() {
  const refresh = useRefreshedUsers();
  return useMutation({
    mutationFn: ({ run }: { run: () => Promise<unknown>; said: string }) => run(),
    onSuccess: (_answer, { said }) => {
      notifications.show({ message: said });
      return refresh();
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        message:
          error instanceof ApiError && error.errorId ? `${error.message} (${error.errorId})` : error.message,
        autoClose: false,
      }),
  });
}
