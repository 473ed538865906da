import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page opens the dialog that makes a new thing of its kind. */
    opensDialog?: boolean;
  }
}

/** Opens the dialog of a page for who came for it from elsewhere; once, not again after a reload. */
export function useAskedDialog(open: () => void): void {
  const navigate = useNavigate();
  const { pathname, isAsked } = useLocation({
    select: ({ pathname, state }) => ({ pathname, isAsked: state.opensDialog === true }),
  });
  const [own] = useState(pathname);
  // A page that is on its way has another path.
  const isMine = isAsked && pathname === own;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what opens it is another function with each drawing
  useEffect(() => {
    if (!isMine) return;
    open();
    void navigate({
      to: '.',
      search: true,
      state: ({ opensDialog: _, ...others }) => others,
      replace: true,
      resetScroll: false,
    });
  }, [isMine, navigate]);
}
