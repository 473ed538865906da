import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** A token out of the address, which leaves the address at once so that it does not stay in the browser's history. */
export function useMailedToken(): [token: string, setToken: (token: string) => void] {
  const { token: given }: { token?: string } = useSearch({ strict: false });
  const [token, setToken] = useState(given ?? '');
  const navigate = useNavigate();
  useEffect(() => {
    if (given !== undefined)
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, token: undefined }),
        replace: true,
      } as never);
  }, [given, navigate]);
  return [token, setToken];
}
