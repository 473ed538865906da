import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { DatasetFile } from '../queries';
import { placeAfter } from './grid-keys';
import type { Images } from './use-images';

const GAP = 6;
/** Rows above and below the window that are in the page too. */
const MORE = 3;

interface GridProps {
  readonly label: string;
  readonly images: Images;
  /** Least width of a picture. */
  readonly side: number;
  /** @param file undefined while it is on its way @param isStop the one that Tab leads to */
  readonly render: (file: DatasetFile | undefined, index: number, isStop: boolean) => ReactNode;
}

/**
 * A wall of pictures of which only the rows near the window are in the page. Tab leads to one of them and past the others; arrow
 * keys go from one to the next.
 */
export function PhotoGrid({ label, images, side, render }: GridProps) {
  const { ref, width } = useElementSize();
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  // A phone shows two beside each other, unless large ones are asked for.
  const least = side > 200 ? 1 : 2;
  const columns = Math.max(least, Math.floor((width + GAP) / (side + GAP)));
  const tile = width === 0 ? side : (width - (columns - 1) * GAP) / columns;
  const [at, setAt] = useState(0);
  const [isInside, setInside] = useState(false);
  const isMoved = useRef(false);
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : Math.ceil(images.count / columns),
    estimateSize: () => tile + GAP,
    overscan: MORE,
    // The picture that has the focus stays in the page, and the one that gets it comes into it.
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range);
      const own = Math.floor(at / columns);
      return !isInside || rows.includes(own) || own >= range.count
        ? rows
        : [...rows, own].sort((a, b) => a - b);
    },
    scrollMargin: margin,
  });
  useLayoutEffect(() => {
    // What stands above the wall may grow or go: a note, an upload.
    const box = top.current;
    if (box) setMargin(box.getBoundingClientRect().top + window.scrollY);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured anew when the width of a tile changes
  useLayoutEffect(() => virtual.measure(), [tile]);
  const rows = virtual.getVirtualItems();
  const { startIndex: first, endIndex: last } = virtual.range ?? { startIndex: 0, endIndex: 0 };
  useLayoutEffect(() => images.need(Math.max(0, first - MORE) * columns, (last + 1 + MORE) * columns - 1));
  const isInSight = at >= first * columns && at < (last + 1) * columns;
  const stop = Math.min(isInside || isInSight ? at : first * columns, images.count - 1);
  useLayoutEffect(() => {
    if (!isMoved.current) return;
    isMoved.current = false;
    top.current?.querySelector<HTMLElement>(`[data-index="${at}"] > *`)?.focus();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const rows = Math.max(1, Math.floor(window.innerHeight / (tile + GAP)) - 1);
    const next = placeAfter(event.key, stop, { count: images.count, columns, rows });
    if (next === null) return;
    event.preventDefault();
    isMoved.current = next !== at;
    setAt(next);
  };
  return (
    <div ref={top}>
      <Box
        ref={ref}
        component="ul"
        aria-label={label}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          setInside(true);
          setAt(Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? at));
        }}
        onBlur={() => setInside(false)}
        m={0}
        p={0}
        style={{
          listStyle: 'none',
          height: virtual.getTotalSize(),
          position: 'relative',
          width: '100%',
        }}
      >
        {rows.flatMap((row) =>
          Array.from({ length: columns }, (_, column) => {
            const index = row.index * columns + column;
            if (index >= images.count) return null;
            return (
              <li
                key={index}
                data-index={index}
                aria-setsize={images.isExact ? images.count : -1}
                aria-posinset={index + 1}
                style={{
                  position: 'absolute',
                  top: 0,
                  left: column * (tile + GAP),
                  width: tile,
                  height: tile,
                  transform: `translateY(${row.start - virtual.options.scrollMargin}px)`,
                }}
              >
                {render(images.at(index), index, index === stop)}
              </li>
            );
          }),
        )}
      </Box>
    </div>
  );
}
