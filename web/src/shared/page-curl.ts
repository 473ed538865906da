import { createContext, useContext, useEffect } from 'react';
import type { CurlCall } from './call-lines';

/** Takes the call that a part of the page shows; null: that part is gone. */
export const PageCurl = createContext<(call: CurlCall | null) => void>(() => undefined);

/**
 * Hands up the call that a tab shows, so that "copy as curl" of the page copies that one for as long as the tab is open.
 * @param call null: that of the page
 */
export function usePageCurl(call: CurlCall | null): void {
  const tell = useContext(PageCurl);
  const written = JSON.stringify(call);
  useEffect(() => {
    tell(JSON.parse(written) as CurlCall | null);
    return () => tell(null);
  }, [tell, written]);
}
