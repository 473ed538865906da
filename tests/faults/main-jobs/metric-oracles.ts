import type pg from 'pg';
import { identity, type LoggedPoint, type MetricLedger } from './metric-ledger.js';

/** What a job says of how far it is stands at one step all the time. */
const MANY_AT_A_STEP = new Set(['system/progress']);
const SHOWN = 3;

interface StoredRun {
  readonly id: string;
  readonly run_id: string;
  readonly status: string;
}

/**
 * Compares the metrics that were acknowledged with those that are stored: each is there once, nothing is there that nobody
 * sent, the last value of each key is the one of its highest step, latest time and largest value, and a training has one
 * point at each step. @returns what differs
 */
export async function metricsAgainst(owner: pg.Client, ledger: MetricLedger): Promise<string[]> {
  const found: string[] = [];
  const { rows: stored } = await owner.query<StoredRun>(
    'select id, run_id, status from tracker_run where run_id = any($1)',
    [[...ledger.runs.keys()]],
  );
  const byId = new Map(stored.map((run) => [run.run_id, run]));
  const { rows: trainings } = await owner.query<{ run: string }>(
    'select tracker_run_id as run from training_experiment',
  );
  const wanted = new Set(trainings.map(({ run }) => run));
  for (const [runId, { logger, acknowledged, sent, hasEnded }] of ledger.runs) {
    const say = (what: string, texts: readonly string[]) => {
      if (texts.length > 0)
        found.push(
          `${texts.length} ${what} in the run ${runId} of a ${logger}: ${texts.slice(0, SHOWN).join(' | ')}`,
        );
    };
    const run = byId.get(runId);
    if (run === undefined) {
      // Deleted with its training.
      if (logger === 'client' || wanted.has(runId)) found.push(`the run ${runId} of a ${logger} is gone`);
      continue;
    }
    if (hasEnded && run.status !== 'FINISHED') found.push(`the run ${runId} was ended and is ${run.status}`);
    const points = await pointsOf(owner, run.id);
    const ids = points.map(identity);
    const there = new Set(ids);
    say(
      'acknowledged metrics are lost',
      [...acknowledged.keys()].filter((id) => !there.has(id)),
    );
    say(
      'metrics are there twice',
      there.size < ids.length ? ids.filter((id, at) => ids.indexOf(id) !== at) : [],
    );
    say(
      'metrics are there that nobody sent',
      ids.filter((id) => !sent.has(id)),
    );
    say('last values are others', await lastValuesAgainst(owner, run.id, points));
    if (logger === 'job') say('steps have more than one point', doubledSteps(points));
  }
  return found;
}

/** Runs that were made without anybody being answered so: at most one for each answer that was lost. */
export async function runsAgainst(
  owner: pg.Client,
  ledger: MetricLedger,
  experimentId: string,
  lostAnswers: number,
): Promise<string[]> {
  const { rows } = await owner.query<{ n: number }>(
    'select count(*)::int as n from tracker_run where experiment = $1',
    [experimentId],
  );
  const known = [...ledger.runs.values()].filter(({ logger }) => logger === 'client').length;
  const unknown = (rows[0]?.n ?? 0) - known;
  return unknown < 0 || unknown > lostAnswers
    ? [`${unknown} runs are there beside the ${known} acknowledged ones, with ${lostAnswers} lost answers`]
    : [];
}

async function pointsOf(owner: pg.Client, run: string): Promise<LoggedPoint[]> {
  const { rows } = await owner.query<{ key: string; step: string; ts: string; value: number }>(
    'select k.name as key, p.step, p.ts, p.value from metric_point p join metric_key k on k.id = p.key where p.run = $1',
    [run],
  );
  return rows.map(({ key, step, ts, value }) => ({ key, step: Number(step), timestamp: Number(ts), value }));
}

async function lastValuesAgainst(
  owner: pg.Client,
  run: string,
  points: readonly LoggedPoint[],
): Promise<string[]> {
  const last = new Map<string, LoggedPoint>();
  for (const point of points) {
    const known = last.get(point.key);
    if (known === undefined || isLater(point, known)) last.set(point.key, point);
  }
  const { rows } = await owner.query<{ key: string; step: string; ts: string; value: number }>(
    'select k.name as key, l.step, l.ts, l.value from metric_latest l join metric_key k on k.id = l.key where l.run = $1',
    [run],
  );
  const shown = new Set(
    rows.map(({ key, step, ts, value }) =>
      identity({ key, step: Number(step), timestamp: Number(ts), value }),
    ),
  );
  const right = [...last.values()].map(identity);
  return [
    ...right.filter((id) => !shown.has(id)).map((id) => `not ${id}`),
    ...[...shown].filter((id) => !right.includes(id)),
  ];
}

/** NaN counts as the largest value, as PostgreSQL orders them. */
function isLater(one: LoggedPoint, other: LoggedPoint): boolean {
  if (one.step !== other.step) return one.step > other.step;
  if (one.timestamp !== other.timestamp) return one.timestamp > other.timestamp;
  return Number.isNaN(one.value) || one.value > other.value;
}

function doubledSteps(points: readonly LoggedPoint[]): string[] {
  const at = new Map<string, LoggedPoint[]>();
  for (const point of points) {
    if (MANY_AT_A_STEP.has(point.key)) continue;
    const place = `${point.key} ${point.step}`;
    at.set(place, [...(at.get(place) ?? []), point]);
  }
  return [...at.values()].filter((many) => many.length > 1).map((many) => many.map(identity).join(' and '));
}
