import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, body } from '../api/client';
import { sayWhoIsHere } from './person-here';

/** @returns what signs out in every tab of the browser */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    // Whoever has no session any more is signed out too.
    await body(api.POST('/auth/cookie/logout')).catch(() => undefined);
    client.clear();
    await navigate({ to: '/sign-in', search: {} });
    sayWhoIsHere(null);
  };
}
