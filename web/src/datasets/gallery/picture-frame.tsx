import { Box } from '@mantine/core';
import { useViewportSize } from '@mantine/hooks';
import { type MouseEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { shareOf } from '../../shared/pointed';
import { text } from '../../text';
import type { Size } from './thumb';

interface FrameProps {
  readonly size: Size | null;
  /** True: a point of the picture is a point of the screen, and the frame scrolls. */
  readonly isFull: boolean;
  readonly onZoom: () => void;
  /** Where the pointer is, in shares of the picture; null: outside of it. */
  readonly onPoint: (share: { readonly x: number; readonly y: number } | null) => void;
  readonly children: ReactNode;
}

/** A place of the picture's own shape, as large as the window lets it be, or of its own size. A click changes between the two. */
export function PictureFrame({ size, isFull, onZoom, onPoint, children }: FrameProps) {
  const { height } = useViewportSize();
  const most = Math.max(240, height - 170);
  const ratio = size === null ? 4 / 3 : size.width / size.height;
  const frame = useRef<HTMLDivElement>(null);
  /** Where it was clicked, in shares of the picture: the same place is then in the middle. */
  const wanted = useRef({ x: 0.5, y: 0.5 });
  useLayoutEffect(() => {
    const box = frame.current;
    if (!isFull || box === null) return;
    box.scrollLeft = wanted.current.x * box.scrollWidth - box.clientWidth / 2;
    box.scrollTop = wanted.current.y * box.scrollHeight - box.clientHeight / 2;
    wanted.current = { x: 0.5, y: 0.5 };
  }, [isFull]);
  const click = (event: MouseEvent) => {
    wanted.current = shareOf(event);
    onZoom();
  };
  const own = isFull && size !== null ? size : null;
  return (
    <Box
      ref={frame}
      bg="var(--ground-quiet)"
      mx="auto"
      w="100%"
      maw={Math.max(most * ratio, own?.width ?? 0)}
      {...(own && { mah: most + 1, tabIndex: 0, role: 'group', 'aria-label': text.datasets.viewer.full })}
      style={{ overflow: own ? 'auto' : undefined }}
    >
      <Box
        onClick={click}
        onMouseMove={(event: MouseEvent) => onPoint(shareOf(event))}
        onMouseLeave={() => onPoint(null)}
        style={{
          position: 'relative',
          // A small picture is as large as it was.
          width: own ? `max(100%, ${own.width}px)` : '100%',
          aspectRatio: String(ratio),
          cursor: own ? 'zoom-out' : 'zoom-in',
        }}
      >
        {children}
      </Box>
    </Box>
  );
}
