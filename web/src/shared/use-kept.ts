import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMe } from '../app/session';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Under which name the page keeps what is made on it. */
    draft?: string;
  }
}

/**
 * What somebody makes on a page, which outlives a reload and comes back with "back" and "forward": it is kept in this tab, under
 * a name that the entries of the history remember. Whoever comes to the page anew begins anew.
 */
export function useKept<T extends object>(first: () => T): readonly [T, (change: Partial<T>) => void] {
  const me = useMe();
  const navigate = useNavigate();
  const { pathname, recorded } = useLocation({
    select: ({ pathname, state }) => ({ pathname, recorded: state.draft }),
  });
  const [own] = useState(() => ({ pathname, draft: recorded ?? Date.now().toString(36) }));
  const key = `visionops.draft.${me.id}.${own.draft}`;
  const [value, setValue] = useState<T>(() => ({ ...first(), ...read<T>(key) }));
  useEffect(() => write(key, value), [key, value]);
  // A page that is on its way has another path.
  const isToRecord = pathname === own.pathname && recorded !== own.draft;
  useEffect(() => {
    if (isToRecord)
      void navigate({
        to: '.',
        search: true,
        state: (before) => ({ ...before, draft: own.draft }),
        replace: true,
        resetScroll: false,
      });
  }, [isToRecord, own.draft, navigate]);
  return [value, (change) => setValue((before) => ({ ...before, ...change }))];
}

function read<T>(key: string): Partial<T> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<T>;
  } catch {
    return {};
  }
}

function write(key: string, value: object): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs the draft at a reload, not the page.
  }
}
