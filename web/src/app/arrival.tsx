import { VisuallyHidden } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** A dialog keeps the focus, and so does what the page itself gave it to. */
const HOLDS_FOCUS = '[role="dialog"], #main *';

/** After each navigation to another path: the heading of the page has the focus, and its title is said. */
export function Arrival() {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  const [title, setTitle] = useState('');
  useEffect(() => {
    const isFirst = before.current === undefined || before.current === path;
    before.current = path;
    if (isFirst) return;
    return whenHeading((heading) => {
      setTitle(heading.textContent ?? '');
      if (document.activeElement?.closest(HOLDS_FOCUS)) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    });
  }, [path]);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {title}
    </VisuallyHidden>
  );
}

/** Calls once the page has its heading, which may come after what it waits for. @returns what ends the waiting */
function whenHeading(then: (heading: HTMLElement) => void): () => void {
  const look = () => {
    const heading = document.querySelector<HTMLElement>('#main h1');
    if (heading === null) return;
    observer.disconnect();
    then(heading);
  };
  const observer = new MutationObserver(look);
  const main = document.getElementById('main');
  if (main !== null) observer.observe(main, { childList: true, subtree: true });
  look();
  return () => observer.disconnect();
}
