import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { LogLine } from './log-line';
import { levelOf } from './log-lines';

const ROW_PX = 20;

interface LogRowsProps {
  readonly label: string;
  readonly lines: readonly string[];
  /** Numbers of the lines that are shown; null: all. */
  readonly shown: readonly number[] | null;
  readonly q: string;
  readonly hasNumbers: boolean;
  readonly isWrapped: boolean;
  readonly isFollowed: boolean;
  readonly onFollow: (isFollowed: boolean) => void;
}

/** The lines in sight. Scrolling up ends the following, scrolling to the end begins it again. */
export function LogRows(props: LogRowsProps) {
  const { lines, shown, isWrapped, isFollowed } = props;
  const box = useRef<HTMLDivElement>(null);
  const rows = shown?.length ?? lines.length;
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const onScroll = usePlace(box, {
    rows,
    size: virtual.getTotalSize(),
    isFollowed,
    isWhole: props.hasNumbers,
    onFollow: props.onFollow,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights of lines change with the wrapping alone
  useEffect(() => virtual.measure(), [isWrapped]);
  return (
    <div
      ref={box}
      className={isWrapped ? 'log log-wrap' : 'log'}
      style={{ height: 'max(260px, calc(100vh - 330px))' }}
      role="log"
      aria-live="off"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((row) => {
          const at = shown?.[row.index] ?? row.index;
          const line = lines[at] ?? '';
          return (
            <div
              key={row.key}
              data-index={row.index}
              ref={isWrapped ? virtual.measureElement : undefined}
              className="log-row"
              data-level={levelOf(line)}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <span className="log-number">{props.hasNumbers ? at + 1 : ''}</span>
              <span>
                <LogLine line={line} q={props.q} />
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface Place {
  readonly rows: number;
  /** Height of all lines. */
  readonly size: number;
  readonly isFollowed: boolean;
  readonly isWhole: boolean;
  readonly onFollow: (isFollowed: boolean) => void;
}

/**
 * Keeps the end in sight while it is followed; else the same lines when those before the end of a log arrive after it.
 * @returns what to do when somebody scrolls
 */
function usePlace(box: RefObject<HTMLDivElement | null>, place: Place): () => void {
  const { rows, size, isFollowed, isWhole, onFollow } = place;
  // Known at once, before the page is drawn again: else the drawing would fight with whoever scrolls up.
  const follows = useRef(isFollowed);
  const top = useRef(0);
  const before = useRef({ rows, isWhole });
  useLayoutEffect(() => {
    follows.current = isFollowed;
  }, [isFollowed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the size is what moves the end
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    if (follows.current) current.scrollTop = current.scrollHeight;
    else if (isWhole && !before.current.isWhole) current.scrollTop += (rows - before.current.rows) * ROW_PX;
    before.current = { rows, isWhole };
  }, [box, rows, size, isWhole, isFollowed]);
  return () => {
    const { current } = box;
    if (!current) return;
    const isUp = current.scrollTop < top.current;
    top.current = current.scrollTop;
    const isAtEnd = current.scrollHeight - current.scrollTop - current.clientHeight < ROW_PX * 2;
    if (isAtEnd === follows.current || (!isAtEnd && !isUp)) return;
    follows.current = isAtEnd;
    onFollow(isAtEnd);
  };
}
