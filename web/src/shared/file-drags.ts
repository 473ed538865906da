import { useEffect } from 'react';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

interface Drags {
  readonly onOver?: (event: DragEvent) => void;
  readonly onDrop?: (event: DragEvent) => void;
  readonly onLeave?: () => void;
}

/**
 * Files that are dragged over a part of the page which does not take them itself.
 * @param target the document before the window: what takes files there comes first
 */
export function useFileDrags(target: Document | Window, { onOver, onDrop, onLeave }: Drags): void {
  useEffect(() => {
    const ending = new AbortController();
    const listen = (type: string, listener: (event: DragEvent) => void) =>
      target.addEventListener(type, listener as EventListener, { signal: ending.signal });
    listen('dragover', (event) => hasFiles(event) && onOver?.(event));
    listen('drop', (event) => hasFiles(event) && onDrop?.(event));
    listen('dragleave', (event) => event.relatedTarget === null && onLeave?.());
    return () => ending.abort();
  });
}

/** A file that misses its place must not take the place of the page. */
export function useNoStrayFiles(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
  };
  useFileDrags(window, { onOver: refuse, onDrop: refuse });
}
