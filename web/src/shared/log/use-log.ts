import { useCallback, useEffect, useMemo, useState } from 'react';
import { Following } from './following';
import { EMPTY_LOG, type LogText } from './log-lines';
import { LogReader } from './log-reader';

interface Log {
  readonly text: LogText;
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Bytes of the whole log while only its end is shown and nothing loads the rest. */
  readonly restOf: number | null;
  readonly loadAll: () => void;
  readonly reload: () => void;
}

/** Hands over lines as they are written; null: some may have been missed. */
interface LineSource {
  subscribe(reader: (lines: readonly string[] | null) => void): () => void;
}

export interface LogSource {
  /** The log as far as it is written; it has ranges. */
  readonly url: string;
  /** Null: what is added is not looked at. */
  readonly bus: LineSource | null;
}

/** A log: its end first, then all of it; while it grows the lines of the stream are added. */
export function useLog({ url, bus }: LogSource): Log {
  const [text, setText] = useState(EMPTY_LOG);
  const [state, setState] = useState<{ isLoading: boolean; error: unknown; restOf: number | null }>({
    isLoading: true,
    error: null,
    restOf: null,
  });
  const [turn, setTurn] = useState(0);
  const [wantsAll, setWantsAll] = useState(false);
  const reader = useMemo(() => new LogReader(url), [url]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn looks again
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const onTail = (tail: LogText) => {
      setText(tail);
      return afterPaint();
    };
    const following = new Following({
      read: async () => {
        const { text: read, restOf } = await reader.read({ wantsAll, onTail, signal });
        setState({ isLoading: false, error: null, restOf });
        return read;
      },
      show: setText,
      fail: (error) => {
        if (!signal.aborted) setState({ isLoading: false, error, restOf: null });
      },
    });
    const stop = bus?.subscribe((lines) => (lines === null ? following.look() : following.add(lines)));
    following.look();
    return () => {
      ending.abort();
      stop?.();
    };
  }, [reader, bus, turn, wantsAll]);
  const loadAll = useCallback(() => setWantsAll(true), []);
  const reload = useCallback(() => {
    setState((before) => ({ ...before, isLoading: true, error: null }));
    setTurn((before) => before + 1);
  }, []);
  return { text, ...state, loadAll, reload };
}

/** The end of the log is to be seen before the rest is worked on. */
const afterPaint = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
