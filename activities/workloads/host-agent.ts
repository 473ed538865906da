import type { Logger } from '../../core/logging/logger.js';
import type { WorkloadStatus } from '../../core/ports/workload-runner.js';
import {
  forgetWorkload,
  listGoneTenants,
  listHosted,
  reportTrouble,
  reportWorkloads,
} from '../../models/workloads/hosted.platform.js';
import type { HostedWorkload, WorkloadReport } from '../../models/workloads/hosted.types.js';
import { adoptWorkload } from '../../models/workloads/adopt-workloads.platform.js';
import { placeWaiting } from '../../models/workloads/placement.platform.js';
import { HAS_ENDED } from '../../models/workloads/workload.rules.js';
import { type WorkloadChangeDeps, applyWorkloadChange } from './apply-workload-change.js';
import { SPEC_LABEL } from './hosted-spec.js';
import { isOver, machineProblem, type StartTrouble, startTrouble } from './start-trouble.rules.js';
import { isSaid, reportOf } from './workload-report.rules.js';
import type { WorkloadLog, WorkloadLogs } from './workload-logs.js';

export interface HostAgentDeps extends WorkloadChangeDeps {
  readonly logs: readonly WorkloadLogs[];
  readonly logger: Logger;
}

/** An agent whose last look is older does not look after its host. */
const LOOKED_WITHIN_MS = 30_000;

/**
 * Brings what runs on its host in line with the rows that are placed there, and the rows in line with what runs. Knows
 * nothing that is not on disk or in the database: one that begins after a crash goes on where the other ended.
 */
export class HostAgent {
  /** As read last, with what was reported since. */
  private rows = new Map<string, HostedWorkload>();
  /** Wishes under way, by workload. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** Workloads whose wish failed. */
  private readonly resting = new Map<string, StartTrouble>();
  /** By workload and what it runs: whoever begins anew prints anew. */
  private readonly opened = new Map<string, WorkloadLog>();
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: HostAgentDeps) {}

  /** False in the workers that share this host with the one that looks after it, and while looking fails. */
  get isLooking(): boolean {
    return performance.now() - this.lookedAt < LOOKED_WITHIN_MS;
  }

  /** Why this machine cannot begin anything just now; null while it can. */
  get problem(): string | null {
    return machineProblem([...this.resting.values()], Date.now());
  }

  /** Reads again what is wanted; after a call, and as a net now and then. */
  async read(): Promise<void> {
    const { database, hostId } = this.deps;
    await placeWaiting(database);
    this.rows = new Map((await listHosted(database, hostId)).map((row) => [row.name, row]));
    const known = new Set([...this.rows.values()].map(logKey));
    for (const key of this.opened.keys()) if (!known.has(key)) this.opened.delete(key);
    const now = Date.now();
    for (const [name, trouble] of this.resting)
      if (!this.rows.has(name) && isOver(trouble, now)) this.resting.delete(name);
    await this.forgetTenants();
  }

  /** What a host keeps of a tenant beside its workloads goes with the tenant. */
  private async forgetTenants(): Promise<void> {
    const { database, runner } = this.deps;
    const running = new Set([...this.rows.values()].map(({ tenantId }) => tenantId));
    const idle = (await runner.tenants()).filter((tenantId) => !running.has(tenantId));
    if (idle.length === 0) return;
    for (const tenantId of await listGoneTenants(database, idle)) await runner.forgetTenant(tenantId);
  }

  /** One look. @returns whether something is under way, so that the next look should come soon */
  async look(): Promise<boolean> {
    for (const row of this.rows.values()) this.begin(row);
    const settled = this.settled();
    const statuses = new Map((await this.deps.runner.list({})).map((status) => [status.id, status]));
    const hasPrinted = await this.pumpLogs(statuses, settled);
    await this.report(statuses, settled);
    await this.removeUnknown(statuses);
    this.lookedAt = performance.now();
    return hasPrinted || this.underWay.size > 0 || [...this.rows.values()].some(isComing);
  }

  /** Waits for what is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.underWay.values());
  }

  private begin(row: HostedWorkload): void {
    const { name, revision, appliedRevision } = row;
    const isResting = (this.resting.get(name)?.retryAt ?? 0) > Date.now();
    if (revision <= appliedRevision || this.underWay.has(name) || isResting) return;
    const work = this.apply(row)
      .then(() => this.resting.delete(name))
      .catch((error: unknown) => this.rest(row, error))
      .finally(() => this.underWay.delete(name));
    this.underWay.set(
      name,
      work.then(() => undefined),
    );
  }

  private async rest(row: HostedWorkload, error: unknown): Promise<void> {
    const { database, hostId, logger, runner } = this.deps;
    const { id, name, revision, wish } = row;
    logger.warn({ err: error, workload: name }, 'A workload change failed; retrying.');
    const trouble = startTrouble(error, this.resting.get(name), Date.now());
    this.resting.set(name, trouble);
    if (wish !== 'run') return;
    try {
      const status = await runner.status(name);
      const [isMoved, endpoints] = [trouble.isForAnother && status === null, status?.endpoints ?? []];
      await reportTrouble(database, hostId, { id, revision, reason: trouble.reason, isMoved, endpoints });
    } catch (failure) {
      logger.warn({ err: failure, workload: name }, 'Why a workload does not begin could not be written.');
    }
  }

  private async apply(row: HostedWorkload): Promise<void> {
    const { database, hostId, runner } = this.deps;
    const done = await applyWorkloadChange(this.deps, row);
    if (done.kind === 'gone') {
      await forgetWorkload(database, hostId, row.id);
      this.rows.delete(row.name);
      return;
    }
    const status = await runner.status(row.name);
    if (status !== null && HAS_ENDED.has(status.phase)) await this.logOf(row, status)?.pump(row, true);
    const seen = reportOf(row, status);
    await this.say([
      [row, done.kind === 'refused' ? { ...seen, status: 'failed', reason: done.reason } : seen],
    ]);
  }

  /**
   * All that a workload printed is stored before its end is said: while that fails, it is taken out of `settled`.
   * @returns whether any of them printed
   */
  private async pumpLogs(
    statuses: ReadonlyMap<string, WorkloadStatus>,
    settled: Map<string, number>,
  ): Promise<boolean> {
    let hasPrinted = false;
    for (const row of this.rows.values()) {
      const status = statuses.get(row.name);
      if (!status || HAS_ENDED.has(row.status)) continue;
      const isLast = HAS_ENDED.has(status.phase);
      try {
        hasPrinted = (await this.logOf(row, status)?.pump(row, isLast)) === true || hasPrinted;
      } catch (error) {
        if (isLast) settled.delete(row.name);
        this.deps.logger.warn({ err: error, workload: row.name }, 'A log was not stored; it is tried again.');
      }
    }
    return hasPrinted;
  }

  /** The log of what is run, which may be what an earlier row asked for. */
  private logOf(row: HostedWorkload, { labels }: WorkloadStatus): WorkloadLog | null {
    const workload = { ...row, specRevision: Number(labels[SPEC_LABEL] ?? row.specRevision) };
    const known = this.opened.get(logKey(workload));
    if (known) return known;
    const log = this.deps.logs.find(({ kind }) => kind === row.kind)?.open(workload, this.deps) ?? null;
    if (log) this.opened.set(logKey(workload), log);
    return log;
  }

  /**
   * The applied revision of each workload by name. Read before the runner lists what it has: what is applied while the
   * list is read is missing in it, and is not lost.
   */
  private settled(): Map<string, number> {
    const rows = [...this.rows.values()].filter(
      ({ name, appliedRevision, revision }) => appliedRevision === revision && !this.underWay.has(name),
    );
    return new Map(rows.map(({ name, revision }) => [name, revision]));
  }

  private async report(
    statuses: ReadonlyMap<string, WorkloadStatus>,
    settled: ReadonlyMap<string, number>,
  ): Promise<void> {
    const changed: Array<[HostedWorkload, WorkloadReport]> = [];
    for (const row of this.rows.values()) {
      if (settled.get(row.name) !== row.revision || this.underWay.has(row.name)) continue;
      const status = statuses.get(row.name) ?? null;
      // What was refused never came into being here; its reason stays.
      if (status === null && HAS_ENDED.has(row.status)) continue;
      const report = reportOf(row, status);
      if (!isSaid(row, report)) changed.push([row, report]);
    }
    await this.say(changed);
  }

  private async say(changed: ReadonlyArray<readonly [HostedWorkload, WorkloadReport]>): Promise<void> {
    if (changed.length === 0) return;
    const { database, hostId } = this.deps;
    const written = await reportWorkloads(
      database,
      hostId,
      changed.map(([, report]) => report),
    );
    for (const [row, report] of changed) {
      const now = this.rows.get(row.name);
      // The requested state changed meanwhile, or the workload was taken away: the next reading shows it.
      if (!written.has(row.id) || now?.revision !== report.revision) continue;
      const { status, reason, endpoints, exitCode } = report;
      this.rows.set(row.name, {
        ...now,
        appliedRevision: report.revision,
        status,
        reason,
        endpoints,
        exitCode,
      });
    }
  }

  /** Ends what nobody wants here: it was placed elsewhere while this host was taken for lost, or its row has gone. */
  private async removeUnknown(statuses: ReadonlyMap<string, WorkloadStatus>): Promise<void> {
    const { database, hostId } = this.deps;
    const isUnknown = ({ id }: WorkloadStatus) => !this.rows.has(id) && !this.underWay.has(id);
    const unknown = [...statuses.values()].filter(isUnknown);
    if (unknown.length === 0) return;
    // What was placed here since the last reading is not unknown.
    const placed = new Set((await listHosted(database, hostId)).map(({ name }) => name));
    for (const status of unknown.filter(({ id }) => !placed.has(id)))
      if ((await adoptWorkload(database, hostId, status)) === 'unwanted') this.end(status.id);
  }

  private end(name: string): void {
    const { runner, logger } = this.deps;
    logger.info({ workload: name }, 'Stopping an orphaned workload.');
    const work = runner.remove(name).catch((error: unknown) => {
      logger.warn({ err: error, workload: name }, 'An orphaned workload could not be removed; retrying.');
    });
    this.underWay.set(
      name,
      work.finally(() => this.underWay.delete(name)),
    );
  }
}

const logKey = ({ name, specRevision }: HostedWorkload): string => `${name}/${specRevision}`;

/** Its status is about to change, so that a look after seconds would come late. */
const isComing = (row: HostedWorkload): boolean =>
  row.revision > row.appliedRevision ||
  (row.wish === 'run' && (row.status === 'pending' || (row.kind !== 'serving' && row.status === 'running')));
