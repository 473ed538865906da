/** How often a change was acknowledged, and how often nobody can say whether it was made. */
export interface ChangeCount {
  acknowledged: number;
  lost: number;
}

export interface Upload {
  readonly dataset: string;
  readonly path: string;
  readonly sha256: string;
}

/** What the clients were answered, kept apart from the platform: the oracles compare the platform with it. */
export class Ledger {
  /** By `action target`. */
  readonly changes = new Map<string, ChangeCount>();
  readonly experiments: string[] = [];
  /** What was seen that must not be. */
  readonly violations: string[] = [];
  /** What the people who read a failed experiment were shown. */
  readonly failures: string[] = [];
  jobs = 0;
  answers = 0;
  private uploads: Upload[] = [];

  acknowledge(change: string): void {
    this.countOf(change).acknowledged += 1;
  }

  lose(change: string): void {
    this.countOf(change).lost += 1;
  }

  countOf(change: string): ChangeCount {
    const known = this.changes.get(change) ?? { acknowledged: 0, lost: 0 };
    this.changes.set(change, known);
    return known;
  }

  uploaded(...uploads: Upload[]): void {
    this.uploads.push(...uploads);
  }

  forgetDataset(dataset: string): void {
    this.uploads = this.uploads.filter((upload) => upload.dataset !== dataset);
  }

  get acknowledgedUploads(): readonly Upload[] {
    return this.uploads;
  }

  violate(text: string): void {
    this.violations.push(text);
  }
}
