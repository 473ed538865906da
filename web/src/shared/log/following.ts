import { follow, type FollowedLog, followedFrom, type LogText } from './log-lines';

interface Place {
  /** Reads what is there now. */
  readonly read: () => Promise<LogText>;
  readonly show: (text: LogText) => void;
  readonly fail: (error: unknown) => void;
}

/** Joins what is read of a log with the lines of its stream. A look that is under way is not begun again. */
export class Following {
  private waiting: string[] = [];
  private isReading = false;
  private isMissed = false;
  private text: LogText | null = null;
  private followed: FollowedLog = followedFrom([]);

  constructor(private readonly place: Place) {}

  /** Looks at the log: at first, and where lines may have been missed. */
  look(): void {
    this.isMissed = true;
    if (!this.isReading) void this.readAgain();
  }

  add(lines: readonly string[]): void {
    if (this.isReading || this.text === null) this.waiting.push(...lines);
    else this.join(this.text, lines);
  }

  private async readAgain(): Promise<void> {
    this.isReading = true;
    try {
      while (this.isMissed) {
        this.isMissed = false;
        this.text = await this.place.read();
      }
      if (this.text === null) return;
      this.followed = followedFrom(this.text.lines);
      this.join(this.text, this.waiting);
      this.waiting = [];
    } catch (error) {
      this.place.fail(error);
    } finally {
      this.isReading = false;
    }
  }

  private join(text: LogText, lines: readonly string[]): void {
    this.followed = follow(this.followed, lines);
    // The stream brings the line that was not ended yet as a whole.
    const isGrown = this.followed.lines.length > text.lines.length;
    this.place.show({ ...text, lines: this.followed.lines, open: isGrown ? '' : text.open });
  }
}
