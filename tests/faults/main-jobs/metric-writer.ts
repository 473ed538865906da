import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../cli/simulate/random.js';
import type { ClientAnswer } from '../../setup/platform-client.js';
import type { LoggedPoint, MetricLedger } from './metric-ledger.js';
import type { PatientClient } from './patient-client.js';

const MLFLOW = '/tracker/api/2.0/mlflow';
const KEYS = ['loss', 'accuracy', 'learning rate', 'odd'];
const POINTS = 20;
const CALLS_OF_A_RUN = 150;
const PAUSE_MS = 100;

/**
 * A client of the tracker that logs to runs of its own: batches and single metrics, every value another one, in no order of
 * steps. What nobody acknowledged is sent again as it was, and now and then what was acknowledged, too: the platform
 * says that a repeat changes nothing.
 */
export class MetricWriter {
  private logged = 0;
  private readonly startedAt = Date.now();

  constructor(
    private readonly client: PatientClient,
    private readonly metrics: MetricLedger,
    private readonly random: Random,
    /** Unique. */
    private readonly name: string,
    private readonly experimentId: string,
  ) {}

  /** Until the signal; the run that is open then ends like the others. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const created = await this.call(`run.create ${this.name}`, 'runs/create', {
        experiment_id: this.experimentId,
        run_name: this.name,
      });
      const runId = created.body.run.info.run_id as string;
      this.metrics.runOf(runId, 'client');
      for (let calls = 0; calls < CALLS_OF_A_RUN && !signal.aborted; calls += 1) {
        await this.log(runId);
        await sleep(PAUSE_MS);
      }
      await this.call(`run.end ${this.name}`, 'runs/update', {
        ...{ run_id: runId, status: 'FINISHED', end_time: Date.now() },
      });
      this.metrics.runOf(runId, 'client').hasEnded = true;
    }
  }

  private async log(runId: string): Promise<void> {
    const isSingle = this.random.next() < 0.25;
    const points = this.random.shuffled(Array.from({ length: isSingle ? 1 : POINTS }, () => this.point()));
    this.metrics.send(runId, 'client', points);
    for (let again = this.random.next() < 0.1 ? 2 : 1; again > 0; again -= 1) {
      const sent = points.map((point) => ({ ...point, value: protocolValue(point.value) }));
      if (isSingle) await this.call(`metric ${this.name}`, 'runs/log-metric', { run_id: runId, ...sent[0] });
      else await this.call(`metrics ${this.name}`, 'runs/log-batch', { run_id: runId, metrics: sent });
      this.metrics.acknowledge(runId, 'client', points);
    }
  }

  private point(): LoggedPoint {
    this.logged += 1;
    // Three points in a row share their step: the time then says which one is the last.
    const step = Math.floor(this.logged / 3);
    const value =
      this.logged % 97 === 0
        ? Number.NaN
        : this.logged % 89 === 0
          ? Infinity
          : this.logged + this.random.next();
    const key = KEYS[step % KEYS.length] as string;
    return { key, step, timestamp: this.startedAt + this.logged, value };
  }

  /** Sends it until it is acknowledged. @throws Error for a refusal */
  private call(name: string, path: string, json: Record<string, unknown>): Promise<ClientAnswer> {
    return this.client.insist(name, async () => {
      const answer = await this.client.change(name, 'POST', `${MLFLOW}/${path}`, { json });
      if (answer.status === 429) return undefined;
      if (answer.status !== 200)
        throw new Error(`${path} answered ${answer.status}: ${answer.bytes.toString().slice(0, 300)}`);
      return answer;
    });
  }
}

/** As the protocol writes what JSON has no word for. */
const protocolValue = (value: number): number | string => (Number.isFinite(value) ? value : String(value));
