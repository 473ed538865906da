import { useCallback, useEffect, useState } from 'react';
import { ApiError, unreachable } from '../../api/errors';
import { append, EMPTY_LOG, follow, followedFrom, type LogText, tailOf } from './log-lines';

/** Read first, so that a long log opens at its end at once. */
const TAIL_BYTES = 256 * 1024;
/** A longer log is loaded whole only when somebody asks for it. */
const WHOLE_BYTES = 64 * 1024 * 1024;

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
  /** The whole log, as far as it is written. */
  readonly wholeUrl: string;
  /** The log as a file that has ranges; there is one when nothing is added any more. */
  readonly fileUrl: string;
  /** Null: what is added is not looked at. */
  readonly bus: LineSource | null;
}

/** A log: its end first, then all of it; while it grows the lines of the stream are added. */
export function useLog({ wholeUrl, fileUrl, bus }: LogSource): Log {
  const [text, setText] = useState(EMPTY_LOG);
  const [state, setState] = useState<{ isLoading: boolean; error: unknown; restOf: number | null }>({
    isLoading: true,
    error: null,
    restOf: null,
  });
  const [turn, setTurn] = useState(0);
  const [wantsAll, setWantsAll] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn reads all again
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const waiting: string[] = [];
    let addLines = (lines: readonly string[]): unknown => waiting.push(...lines);
    const stop = bus?.subscribe((hint) => (hint === null ? setTurn((before) => before + 1) : addLines(hint)));
    const read = async () => {
      const total = bus ? null : await readTail(fileUrl, signal, setText);
      const isShort = total === null || total <= WHOLE_BYTES || wantsAll;
      if (!isShort || total === 0) return setState({ isLoading: false, error: null, restOf: total || null });
      if (total !== null) await afterPaint();
      const whole = await readWhole(wholeUrl, signal);
      let followed = followedFrom(whole.lines);
      addLines = (lines) => {
        followed = follow(followed, lines);
        setText({ ...whole, lines: followed.lines });
      };
      addLines(waiting);
      setState({ isLoading: false, error: null, restOf: null });
    };
    read().catch((error: unknown) => {
      if (!signal.aborted) setState({ isLoading: false, error, restOf: null });
    });
    return () => {
      ending.abort();
      stop?.();
    };
  }, [wholeUrl, fileUrl, bus, turn, wantsAll]);
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

/** @returns bytes of the log while more of it has to be read; 0 when this was all of it; null when there is no such file */
async function readTail(
  url: string,
  signal: AbortSignal,
  show: (text: LogText) => void,
): Promise<number | null> {
  const response = await ask(url, signal, { Range: `bytes=-${TAIL_BYTES}` });
  // 416: the file is empty.
  if (response.status === 404 || response.status === 416) return null;
  if (!response.ok) throw await refusal(response);
  const total = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0);
  const isWhole = total <= TAIL_BYTES;
  show(tailOf(await response.text(), isWhole));
  return isWhole ? 0 : total;
}

async function readWhole(url: string, signal: AbortSignal): Promise<LogText> {
  const response = await ask(url, signal);
  if (!response.ok) throw await refusal(response);
  return append(EMPTY_LOG, await response.text());
}

const ask = (url: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { signal, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(error);
  });

const refusal = async (response: Response): Promise<ApiError> =>
  ApiError.of(response, await response.json().catch(() => null));
