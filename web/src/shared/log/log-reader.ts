import { ApiError, unreachable } from '../../api/errors';
import { append, EMPTY_LOG, type LogText, tailOf } from './log-lines';

/** Read first, so that a long log opens at its end at once. */
const TAIL_BYTES = 256 * 1024;
/** A longer log is read whole only when somebody asks for it. */
const WHOLE_BYTES = 64 * 1024 * 1024;
/** So many bytes before those that are new must be the ones that were read: else it is another log, as after a new attempt. */
const MARK_BYTES = 1024;
const LINE_BREAK = 0x0a;

/** What was read. Bytes count as read up to the last line break, so that no letter is cut in two. */
interface Held {
  readonly text: LogText;
  /** Bytes from the begin of the log on that were read. */
  readonly end: number;
  /** The last of them. */
  readonly mark: Uint8Array;
  readonly total: number;
}

interface Wanted {
  /** The whole log, however long it is. */
  readonly wantsAll: boolean;
  /** Gets the end while the rest is on its way. */
  readonly onTail: (text: LogText) => Promise<void>;
  readonly signal: AbortSignal;
}

interface Read {
  readonly text: LogText;
  /** Bytes of the log while only its end was read. */
  readonly restOf: number | null;
}

/** Reads a log that may grow: its end first, then all of it unless that is long, and later what was added alone. */
export class LogReader {
  private held: Held | null = null;

  constructor(private readonly url: string) {}

  /** @throws ApiError */
  async read({ wantsAll, onTail, signal }: Wanted): Promise<Read> {
    const grown = this.held && this.held.end > 0 ? await this.readOn(this.held, signal) : null;
    let held = grown ?? (await this.readTail(signal));
    if (held.text.isTail && (held.total <= WHOLE_BYTES || wantsAll)) {
      await onTail(held.text);
      held = await this.readAll(signal);
    }
    this.held = held;
    return { text: held.text, restOf: held.text.isTail ? held.total : null };
  }

  /** @returns null when it is another log than the one that was read */
  private async readOn({ text, end, mark }: Held, signal: AbortSignal): Promise<Held | null> {
    const part = await this.bytes(signal, `bytes=${end - mark.length}-`);
    if (part === null || part.start !== end - mark.length) return null;
    if (!mark.every((byte, at) => byte === part.bytes[at])) return null;
    return heldOf(part, mark.length, (piece) => append({ ...text, open: '' }, piece));
  }

  private async readTail(signal: AbortSignal): Promise<Held> {
    const part = await this.bytes(signal, `bytes=-${TAIL_BYTES}`);
    return heldOf(part ?? NOTHING, 0, (piece) => tailOf(piece, (part?.start ?? 0) === 0));
  }

  private async readAll(signal: AbortSignal): Promise<Held> {
    return heldOf((await this.bytes(signal)) ?? NOTHING, 0, (piece) => append(EMPTY_LOG, piece));
  }

  /** @returns null where the log has no such bytes */
  private async bytes(signal: AbortSignal, range?: string): Promise<Part | null> {
    const headers = range === undefined ? undefined : { Range: range };
    const response = await fetch(this.url, { signal, headers, credentials: 'same-origin' }).catch(
      (error: unknown) => {
        throw signal.aborted ? error : unreachable(error);
      },
    );
    if (response.status === 416) return null;
    if (!response.ok) throw ApiError.of(response, await response.json().catch(() => null));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const [, start, total] =
      /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    return { bytes, start: Number(start ?? 0), total: Number(total ?? bytes.length) };
  }
}

interface Part {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly total: number;
}

const NOTHING: Part = { bytes: new Uint8Array(), start: 0, total: 0 };

/** @param known so many bytes of the part were read before */
function heldOf({ bytes, start, total }: Part, known: number, textOf: (piece: string) => LogText): Held {
  const text = textOf(new TextDecoder().decode(bytes.subarray(known)));
  const end = Math.max(known, bytes.lastIndexOf(LINE_BREAK) + 1);
  return { text, end: start + end, mark: bytes.slice(Math.max(0, end - MARK_BYTES), end), total };
}
