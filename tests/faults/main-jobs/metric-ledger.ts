export interface LoggedPoint {
  readonly key: string;
  readonly step: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** May be NaN or infinite. */
  readonly value: number;
}

/** Who logs to a run: a client of the tracker, or the job of a training. */
export type Logger = 'client' | 'job';

interface LoggedRun {
  readonly logger: Logger;
  /** Each as its identity, with the point. */
  readonly acknowledged: Map<string, LoggedPoint>;
  /** Whoever sent them may still have no answer. */
  readonly sent: Set<string>;
  /** Whether its end was acknowledged. */
  hasEnded: boolean;
}

/** All columns of a point are its key. */
export const identity = ({ key, step, timestamp, value }: LoggedPoint): string =>
  `${key} ${step} ${timestamp} ${value}`;

/** What those who log were answered, kept apart from the platform. */
export class MetricLedger {
  readonly runs = new Map<string, LoggedRun>();

  runOf(runId: string, logger: Logger): LoggedRun {
    const known = this.runs.get(runId) ?? {
      ...{ logger, acknowledged: new Map<string, LoggedPoint>(), sent: new Set<string>() },
      hasEnded: false,
    };
    this.runs.set(runId, known);
    return known;
  }

  send(runId: string, logger: Logger, points: readonly LoggedPoint[]): void {
    const { sent } = this.runOf(runId, logger);
    for (const point of points) sent.add(identity(point));
  }

  acknowledge(runId: string, logger: Logger, points: readonly LoggedPoint[]): void {
    const { acknowledged } = this.runOf(runId, logger);
    for (const point of points) acknowledged.set(identity(point), point);
  }

  /** How many points were acknowledged to each. */
  count(logger: Logger): number {
    return [...this.runs.values()]
      .filter((run) => run.logger === logger)
      .reduce((sum, run) => sum + run.acknowledged.size, 0);
  }
}
