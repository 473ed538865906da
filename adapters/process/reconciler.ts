import { join } from 'node:path';
import type { Logger } from '../../core/logging/logger.js';
import type { Clock } from '../../core/ports/clock.js';
import type { FreshDownloads } from '../../core/ports/workload-runner.js';
import { answersPing } from './health-probe.js';
import { launchInstance, MARKER, markerOf } from './instance-launcher.js';
import { isDown, isSettled, isUnderWay, type PlanInput, planInstance } from './instance-plan.js';
import { LOOPBACK } from './workload-records.js';
import { bootId, processesMarked, signalProcess, straysOf } from './process-table.js';
import { renewDownloads } from './renew-downloads.js';
import { wasCutOff } from './cut-off-job.rules.js';
import { decideRestart } from './workload-restart.rules.js';
import type { RuntimeEnvironments } from './runtime-environments.js';
import type {
  ExitRecord,
  InstanceRecord,
  InstanceView,
  IntentRecord,
  SpecRecord,
} from './workload-records.js';
import { type WorkloadStore, writeJson } from './workload-store.js';

/** An instance that answers is asked again in every fifth pass only. */
const PROBE_EVERY = 5;
const SWEEP_AFTER_MS = 10 * 60_000;

export interface ReconcilerOptions {
  /** IPv4 address at which instances of services listen. */
  readonly address: string;
  /** TCP ports that jobs may connect to; null: the kernel holds nobody to them. */
  readonly connect: readonly number[] | null;
  readonly freshDownloads: FreshDownloads;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Brings what runs in line with what is wished, from the records on disk alone: a pass after any crash goes on where the
 * one before ended. Only one process may do so at a time (the caller holds a lock).
 */
export class Reconciler {
  /** Workloads with nothing left to do, by the version of their wish. */
  private readonly settled = new Map<string, number>();
  private pass = 0;

  constructor(
    private readonly store: WorkloadStore,
    private readonly environments: RuntimeEnvironments,
    private readonly options: ReconcilerOptions,
  ) {}

  /**
   * One pass over all workloads. A workload that cannot be handled is logged and does not hinder the others.
   * @returns true when something is under way, so that the next pass should come soon
   */
  async reconcileOnce(): Promise<boolean> {
    this.pass += 1;
    const ids = await this.store.ids();
    for (const id of this.settled.keys()) if (!ids.includes(id)) this.settled.delete(id);
    const busy = await Promise.all(
      ids.map(async (id) => {
        try {
          return await this.reconcileWorkload(id);
        } catch (error) {
          this.options.logger.error(
            { err: error, workload: id },
            'The workload could not be reconciled; the next pass tries again.',
          );
          return false;
        }
      }),
    );
    if (this.pass % 300 === 1) await this.store.sweep(SWEEP_AFTER_MS);
    return busy.includes(true);
  }

  private async reconcileWorkload(id: string): Promise<boolean> {
    const version = await this.store.intentVersion(id);
    if (version === null || this.settled.get(id) === version) return false;
    const [spec, intent] = await Promise.all([this.store.spec(id), this.store.intent(id)]);
    if (spec === null || intent === null) return false;
    const views = await this.store.views(id, intent.replicas);
    await Promise.all(views.map((view) => this.reconcileInstance(spec, intent, view)));
    const after = (await this.store.views(id, intent.replicas)).map((view) =>
      this.planInput(spec, intent, view),
    );
    if (intent.desired === 'removed' && isDown(after)) {
      for (const view of after) this.killRest(spec, view.view.index);
      await this.store.remove(id);
      return false;
    }
    if (isSettled(after)) this.settled.set(id, version);
    else return after.some(isUnderWay);
    return false;
  }

  private planInput(spec: SpecRecord, intent: IntentRecord, view: InstanceView): PlanInput {
    const { clock, connect } = this.options;
    return { kind: spec.kind, intent, view, bootId: bootId(), nowMs: clock.now().getTime(), connect };
  }

  private async reconcileInstance(spec: SpecRecord, intent: IntentRecord, view: InstanceView): Promise<void> {
    const step = planInstance(this.planInput(spec, intent, view));
    switch (step.kind) {
      case 'none':
        return;
      case 'start':
        return this.start(spec, intent, view);
      case 'probe':
        return this.probe(spec, view);
      case 'bury':
        return this.bury(spec, view);
      case 'count-death':
        return this.countDeath(spec, view);
      case 'ask-to-stop':
        return this.askToStop(spec.id, view, step.reason, intent.graceS);
      case 'kill':
        if (view.pid !== null) signalProcess(view.pid.pid, 'SIGKILL');
        return this.killRest(spec, view.index);
    }
  }

  private save(id: string, view: InstanceView, change: Partial<InstanceRecord>): Promise<void> {
    return writeJson(join(this.store.instance(id, view.index), 'instance.json'), {
      ...view.record,
      ...change,
    });
  }

  private async start(spec: SpecRecord, intent: IntentRecord, view: InstanceView): Promise<void> {
    await this.store.makeInstance(spec.id, view.index);
    const environment = this.environments.get(spec.runtime);
    if (!('python' in environment)) {
      if (view.record.note !== environment.note) await this.save(spec.id, view, { note: environment.note });
      return;
    }
    const attempt = (view.launch?.attempt ?? 0) + 1;
    const isCutOff = spec.kind === 'job' && view.exit !== null && wasCutOff(view.exit);
    const isFresh =
      view.record.generation < intent.generation ||
      view.exit?.reason === 'stopped' ||
      view.exit?.reason === 'suspended';
    await this.save(spec.id, view, {
      attempt,
      note: null,
      nextStartAt: null,
      readySince: null,
      failedProbes: 0,
      stopAskedAt: null,
      hasFailed: false,
      generation: intent.generation,
      cutOffAttempt: isCutOff ? (view.exit?.attempt ?? null) : view.record.cutOffAttempt,
      tries: isFresh ? 0 : view.record.tries,
      restarts: view.record.restarts + (view.exit === null || isFresh ? 0 : 1),
    });
    const { address, clock, connect, freshDownloads, logger } = this.options;
    await renewDownloads({ store: this.store, freshDownloads, logger }, spec);
    const place = { index: view.index, attempt, address, connect };
    await launchInstance(this.store, spec, place, environment, clock.now());
    logger.info({ workload: spec.id, instance: view.index, attempt }, 'Instance started.');
  }

  private async probe(spec: SpecRecord, view: InstanceView): Promise<void> {
    const { readySince, failedProbes } = view.record;
    const port = view.pid?.port ?? null;
    if (
      port === null ||
      (readySince !== null && failedProbes === 0 && (this.pass + view.index) % PROBE_EVERY !== 0)
    )
      return;
    if (await answersPing(view.launch?.address ?? LOOPBACK, port, spec.uid)) {
      if (readySince === null || failedProbes > 0)
        await this.save(spec.id, view, {
          readySince: readySince ?? this.options.clock.now().toISOString(),
          failedProbes: 0,
        });
    } else if (readySince !== null) {
      // Two failures in a row take it off the endpoints by way of status(); more end it.
      await this.save(spec.id, view, { failedProbes: failedProbes + 1 });
    }
  }

  private async bury(spec: SpecRecord, view: InstanceView): Promise<void> {
    this.killRest(spec, view.index);
    const now = this.options.clock.now().toISOString();
    const exit: ExitRecord = {
      attempt: view.launch?.attempt ?? 0,
      code: null,
      signal: null,
      reason: 'lost',
      stage: 'run',
      peakBytes: 0,
      startedAt: view.pid?.startedAt ?? now,
      finishedAt: now,
      error: null,
    };
    await writeJson(join(this.store.instance(spec.id, view.index), 'exit.json'), exit);
    this.options.logger.warn(
      { workload: spec.id, instance: view.index },
      'The supervising process of an instance is gone.',
    );
  }

  private async countDeath(spec: SpecRecord, view: InstanceView): Promise<void> {
    const healthyMs =
      view.record.readySince === null
        ? null
        : Date.parse(view.exit?.finishedAt ?? '') - Date.parse(view.record.readySince);
    const decision = decideRestart(view.record.tries, healthyMs);
    const countedAttempt = view.launch?.attempt ?? 0;
    const change =
      decision.kind === 'give-up'
        ? { tries: view.record.tries + 1, hasFailed: true, nextStartAt: null }
        : {
            tries: decision.tries,
            nextStartAt: new Date(this.options.clock.now().getTime() + decision.afterMs).toISOString(),
          };
    await this.save(spec.id, view, { ...change, countedAttempt, readySince: null, failedProbes: 0 });
    this.options.logger.warn(
      {
        workload: spec.id,
        instance: view.index,
        code: view.exit?.code,
        signal: view.exit?.signal,
        reason: view.exit?.reason,
        next: decision.kind,
      },
      'An instance died.',
    );
  }

  private async askToStop(id: string, view: InstanceView, reason: string, graceS: number): Promise<void> {
    await writeJson(join(this.store.instance(id, view.index), 'stop.json'), { reason, graceS });
    await this.save(id, view, { stopAskedAt: this.options.clock.now().toISOString() });
    if (view.pid !== null) signalProcess(view.pid.pid, 'SIGTERM');
  }

  /** Ends every process that carries the instance's marker, and of the tenant's user what no shim looks after. */
  private killRest(spec: SpecRecord, index: number): void {
    for (const pid of processesMarked(`${MARKER}=${markerOf(this.store.root, spec.id, index)}`))
      signalProcess(pid, 'SIGKILL');
    if (spec.uid !== null) for (const pid of straysOf(spec.uid)) signalProcess(pid, 'SIGKILL');
  }
}
