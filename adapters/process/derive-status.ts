import type { WorkloadPhase, WorkloadStatus } from '../../core/ports/workload-runner.js';
import { explainExit } from './exit-meaning.js';
import { goesOn, wasCutOff } from './cut-off-job.rules.js';
import { type InstanceView, type IntentRecord, LOOPBACK, type SpecRecord } from './workload-records.js';

/** Pure: the status that people see, from what stands on disk. */
export function deriveStatus(
  spec: SpecRecord,
  intent: IntentRecord,
  views: readonly InstanceView[],
): WorkloadStatus {
  const described =
    spec.kind === 'job' ? describeJob(spec, intent, views[0] ?? null) : describeService(spec, intent, views);
  const first = views[0] ?? null;
  const hasEnded = ['succeeded', 'failed', 'stopped'].includes(described.phase);
  return {
    id: spec.id,
    ...described,
    exitCode: hasEnded ? (first?.exit?.code ?? null) : null,
    startedAt: first?.pid?.startedAt ?? first?.exit?.startedAt ?? null,
    finishedAt: hasEnded ? (first?.exit?.finishedAt ?? null) : null,
    restarts: views.reduce((sum, view) => sum + view.record.restarts, 0),
    replicas: intent.replicas,
    endpoints: views.flatMap((view) =>
      isReady(view) && view.pid?.port ? [`http://${view.launch?.address ?? LOOPBACK}:${view.pid.port}`] : [],
    ),
    labels: spec.labels,
  };
}

interface Described {
  readonly phase: WorkloadPhase;
  readonly message: string;
}

const isReady = (view: InstanceView): boolean =>
  view.isAlive &&
  view.record.readySince !== null &&
  view.record.failedProbes < 2 &&
  view.record.stopAskedAt === null;

function describeJob(spec: SpecRecord, intent: IntentRecord, view: InstanceView | null): Described {
  const isWanted = intent.desired === 'running';
  const exit = view?.exit ?? null;
  if (view?.isAlive) return { phase: 'running', message: isWanted ? 'Running.' : 'Stopping.' };
  if (view === null || exit === null) {
    if (!isWanted) return { phase: 'stopped', message: 'Stopped before it began.' };
    return { phase: 'pending', message: view?.record.note ?? 'Starting.' };
  }
  const message = explainExit(exit, spec);
  const { reason, code } = exit;
  if (isWanted && goesOn(exit, view.record))
    return { phase: 'pending', message: `${message} It goes on by itself.` };
  if (reason === 'stopped' || reason === 'suspended' || (reason === 'lost' && !isWanted))
    return { phase: 'stopped', message };
  if (code === 0 && reason === null) return { phase: 'succeeded', message };
  const hadGoneOn = wasCutOff(exit) && view.record.cutOffAttempt !== null;
  return {
    phase: 'failed',
    message: hadGoneOn
      ? `${message} It had gone on by itself once before; a retry goes on from its last checkpoint.`
      : message,
  };
}

function describeService(spec: SpecRecord, intent: IntentRecord, views: readonly InstanceView[]): Described {
  const alive = views.filter((view) => view.isAlive);
  if (intent.desired !== 'running' || intent.replicas === 0) {
    return alive.length > 0
      ? { phase: 'running', message: 'Stopping.' }
      : { phase: 'stopped', message: 'Stopped on request.' };
  }
  const wanted = views.filter((view) => view.index < intent.replicas);
  const failed = wanted.filter(
    (view) => view.record.hasFailed && view.record.generation >= intent.generation,
  );
  if (alive.length > 0) {
    const note = failed.length > 0 ? `; ${failed.length} failed: ${lastWords(spec, failed)}` : '';
    return {
      phase: 'running',
      message: `${wanted.filter(isReady).length} of ${intent.replicas} instances answer${note || '.'}`,
    };
  }
  if (failed.length === wanted.length && wanted.length > 0)
    return {
      phase: 'failed',
      message: `It died ${failed[0]?.record.tries ?? 0} times in a row. ${lastWords(spec, failed)}`,
    };
  const died = wanted.filter((view) => view.exit !== null && view.exit.reason !== 'stopped');
  const note = wanted.find((view) => view.record.note !== null)?.record.note;
  return {
    phase: 'pending',
    message: note ?? (died.length > 0 ? `Restarting: ${lastWords(spec, died)}` : 'Starting.'),
  };
}

function lastWords(spec: SpecRecord, views: readonly InstanceView[]): string {
  const exit = views.find((view) => view.exit !== null)?.exit;
  return exit ? explainExit(exit, spec) : 'It could not be started.';
}
