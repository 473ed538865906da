import { useNavigate, useRouter } from '@tanstack/react-router';

export type Words = Readonly<Record<string, string | number | readonly string[] | undefined>>;

interface How {
  /** The address before is overwritten, and "back" leaves it out: while somebody types or leafs. */
  readonly replace?: boolean;
  /** All other words go. */
  readonly only?: boolean;
  /** Something opens over the page, which `useCloseOver` closes. */
  readonly opensOver?: boolean;
}

export type SearchChange = (change: Words, how?: How) => void;

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True where the entry before is the page without what stands over it. */
    isOver?: boolean;
  }
}

/** Another tab or page is read from its top; whatever else changes, the reader stays where they are. */
const startsAtTop = (change: Words): boolean => 'tab' in change || 'page' in change;

/** Changes words of the page's address; "back" takes the change back. */
export function useSearchChange(): SearchChange {
  const navigate = useNavigate();
  return (change, { replace = false, only = false, opensOver = false } = {}) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...(only ? {} : before), ...change }),
      replace,
      // An entry that is overwritten stays what it was for those around it.
      state: replace || (opensOver ? { isOver: true } : {}),
      resetScroll: startsAtTop(change),
    } as never);
}

/** Closes what was opened over the page: by "back", so that no entry is left that opens it again. @param words that hold it open */
export function useCloseOver(...words: readonly string[]): () => void {
  const router = useRouter();
  const change = useSearchChange();
  return () => {
    if (router.state.location.state.isOver) router.history.back();
    else change(Object.fromEntries(words.map((word) => [word, undefined])), { replace: true });
  };
}
