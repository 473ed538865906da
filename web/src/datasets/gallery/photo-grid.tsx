import { Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { DatasetFile } from '../queries';
import type { Images } from './use-images';

const GAP = 6;

interface GridProps {
  readonly label: string;
  readonly images: Images;
  /** Least width of a picture. */
  readonly side: number;
  readonly render: (file: DatasetFile, index: number) => ReactNode;
}

/** A wall of pictures of which only the rows near the window are in the page. */
export function PhotoGrid({ label, images, side, render }: GridProps) {
  const { ref, width } = useElementSize();
  const top = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  // A phone shows two beside each other, unless large ones are asked for.
  const least = side > 200 ? 1 : 2;
  const columns = Math.max(least, Math.floor((width + GAP) / (side + GAP)));
  const tile = width === 0 ? side : (width - (columns - 1) * GAP) / columns;
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : Math.ceil(images.count / columns),
    estimateSize: () => tile + GAP,
    overscan: 3,
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
  const [first, last] = [rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0];
  useLayoutEffect(() => images.need(first * columns, (last + 1) * columns - 1));
  return (
    <div ref={top}>
      <Box
        ref={ref}
        component="ul"
        aria-label={label}
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
            const file = images.at(index);
            return (
              <li
                key={index}
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
                {file ? (
                  render(file, index)
                ) : (
                  <Box h="100%" bg="var(--ground-quiet)" style={{ borderRadius: 4 }} />
                )}
              </li>
            );
          }),
        )}
      </Box>
    </div>
  );
}
