export type Level = 'error' | 'warning' | 'info' | 'debug';
export const LEVELS: readonly Level[] = ['error', 'warning', 'info', 'debug'];

/** Lines of a log, and where they stand in it. Grows at its end only; a new object for each growth. */
export interface LogText {
  readonly lines: readonly string[];
  /** What came after the last line break. */
  readonly open: string;
  /** True while lines before the first are not there yet. */
  readonly isTail: boolean;
}

export const EMPTY_LOG: LogText = { lines: [], open: '', isTail: false };

/** Splits a piece of text and adds it. A line that a program wrote over and over with \r keeps its last state. */
export function append(log: LogText, piece: string): LogText {
  if (piece === '') return log;
  const parts = (log.open + piece).split('\n');
  const open = parts.pop() ?? '';
  return { ...log, lines: parts.length === 0 ? log.lines : log.lines.concat(parts.map(lastState)), open };
}

/** All lines, the unfinished one too. */
export const allLines = (log: LogText): readonly string[] =>
  log.open === '' ? log.lines : [...log.lines, lastState(log.open)];

/** The end of a log that was read from a place in its middle: its first line is not whole. */
export function tailOf(piece: string, isWhole: boolean): LogText {
  const start = isWhole ? 0 : piece.indexOf('\n') + 1;
  return append({ ...EMPTY_LOG, isTail: !isWhole }, piece.slice(start));
}

function lastState(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
}

/** Lines that were read, and those of a stream that came since. */
export interface FollowedLog {
  readonly lines: readonly string[];
  /** Lines of the stream as long as all of them may be among those that were read; null once it has gone beyond them. */
  readonly unplaced: readonly string[] | null;
}

export const followedFrom = (lines: readonly string[]): FollowedLog => ({ lines, unplaced: [] });

/** Lines looked back at, at most, when a stream is joined to what was read before. */
const OVERLAP = 500;

/**
 * Adds lines of a stream. It has no place in the log and may begin with some that were read already: the longest end of these
 * that is also its begin is taken for the same lines. Once its place is known, every line is a new one.
 */
export function follow({ lines, unplaced }: FollowedLog, incoming: readonly string[]): FollowedLog {
  const fresh = incoming.map(lastState);
  if (unplaced === null) return { lines: lines.concat(fresh), unplaced };
  const stream = unplaced.concat(fresh);
  if (stream.length === 0) return { lines, unplaced };
  const starts = Array.from({ length: Math.min(lines.length, OVERLAP) }, (_, back) => lines.length - back - 1)
    .reverse()
    .filter((start) => stream.every((line, at) => start + at >= lines.length || lines[start + at] === line));
  const joint = starts.find((start) => start + stream.length >= lines.length);
  if (joint === undefined && starts.length > 0) return { lines, unplaced: stream };
  return { lines: lines.concat(stream.slice(lines.length - (joint ?? lines.length))), unplaced: null };
}

/** Most lines have none of the words, and are done with one look. */
const ANY = /ERROR|FATAL|CRITICAL|Traceback|Error:|Exception:|WARN|Warning:|DEBUG|TRACE/;
const ERROR = /\b(?:ERROR|FATAL|CRITICAL|Traceback)\b|^\w*(?:Error|Exception):/;
const WARNING = /\bWARN(?:ING)?\b|\b\w*Warning:/;
const DEBUG = /\b(?:DEBUG|TRACE)\b/;

/** Level of a line by the words that programs use; a line without one informs. */
export function levelOf(line: string): Level {
  if (!ANY.test(line)) return 'info';
  if (ERROR.test(line)) return 'error';
  if (WARNING.test(line)) return 'warning';
  return DEBUG.test(line) ? 'debug' : 'info';
}

/** How many lines of each level there are. */
export interface LevelCount {
  readonly lines: readonly string[];
  readonly levels: Readonly<Record<Level, number>>;
}

export const NO_LINES: LevelCount = { lines: [], levels: { error: 0, warning: 0, info: 0, debug: 0 } };

/** @param before count of the same log when it was shorter: only what was added is looked at */
export function countLevels(lines: readonly string[], before: LevelCount): LevelCount {
  const known = before.lines.length;
  const last = known - 1;
  const isGrown =
    known > 0 && known <= lines.length && lines[0] === before.lines[0] && lines[last] === before.lines[last];
  const levels = { ...(isGrown ? before.levels : NO_LINES.levels) };
  for (let at = isGrown ? known : 0; at < lines.length; at++) levels[levelOf(lines[at] ?? '')]++;
  return { lines, levels };
}

export interface LogFilter {
  /** Text that a line must hold, whatever its case; empty: each. */
  readonly q: string;
  /** Levels that are shown. */
  readonly levels: ReadonlySet<Level>;
}

/** Numbers of the lines that are shown, or null for all. */
export function matching(lines: readonly string[], filter: LogFilter): readonly number[] | null {
  const isAllLevels = LEVELS.every((level) => filter.levels.has(level));
  if (filter.q === '' && isAllLevels) return null;
  const q = filter.q.toLowerCase();
  const found: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (q !== '' && !line.toLowerCase().includes(q)) continue;
    if (isAllLevels || filter.levels.has(levelOf(line))) found.push(at);
  }
  return found;
}

export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** Cuts a text at each place where a word stands, whatever its case. */
export function highlighted(text: string, q: string): Piece[] {
  if (q === '') return [{ text, isHit: false }];
  const pieces: Piece[] = [];
  const [lower, word] = [text.toLowerCase(), q.toLowerCase()];
  // Some letters change their length with their case, and places would not fit.
  if (lower.length !== text.length) return [{ text, isHit: false }];
  let from = 0;
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, from)) {
    if (at > from) pieces.push({ text: text.slice(from, at), isHit: false });
    from = at + word.length;
    pieces.push({ text: text.slice(at, from), isHit: true });
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from), isHit: false });
  return pieces;
}
