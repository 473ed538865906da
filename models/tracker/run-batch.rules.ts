import { AppError } from '../../core/errors/app-error.js';
import { firstCharacters } from '../../core/text/line-text.js';
import type { MeasuredModel } from './logged-models/logged-model.types.js';
import type { KeyValue, MetricPoint, RunBatch } from './run.types.js';
import { RUN_NAME_TAG } from './runs/run-name.rules.js';

/** Limits of one log-batch call, as MLflow has them. */
export const BATCH_LIMITS = {
  metrics: 1000,
  params: 100,
  tags: 100,
  total: 1000,
  bodyBytes: 1_000_000,
} as const;
export const MAX_KEY = 250;
export const MAX_PARAM = 6000;
export const MAX_TAG = 8000;
const MAX_DATASET_NAME = 500;
/** Metric that reports how far a job has come, from 0 to 1. */
export const PROGRESS_METRIC = 'system/progress';

const NAME = /^[/\p{L}\p{M}\p{N}_.\- :]*$/u;
const SPECIAL_NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

export interface ParsedBatch {
  readonly runId: string;
  readonly batch: RunBatch;
  /** Those of the metrics that were measured of a logged model. */
  readonly measured: readonly MeasuredModel[];
}

/**
 * Reads the body of a log-batch call. Unknown fields are ignored, 64-bit integers may come as text.
 * @throws AppError bad_request naming the place
 */
export function parseBatch(body: unknown): ParsedBatch {
  const given = asObject(body, 'body');
  const runId = given.run_id ?? given.run_uuid;
  if (typeof runId !== 'string' || !/^[0-9a-f]{32}$/.test(runId))
    throw invalid('run_id', 'must be 32 hex digits');
  const tags = list(given.tags, 'tags', BATCH_LIMITS.tags);
  const batch: RunBatch = {
    metrics: list(given.metrics, 'metrics', BATCH_LIMITS.metrics).map(readMetric),
    params: list(given.params, 'params', BATCH_LIMITS.params).map((item, at) =>
      readPair(item, `params[${at}]`, MAX_PARAM),
    ),
    tags: readTags(tags),
  };
  if (batch.metrics.length + batch.params.length + tags.length > BATCH_LIMITS.total)
    throw invalid('body', `must hold at most ${BATCH_LIMITS.total} metrics, params and tags together`);
  const twice = repeated(batch.params);
  if (twice !== null) throw invalid('params', `holds the key ${JSON.stringify(twice)} twice`);
  const measured = batch.metrics.flatMap((metric, at) => readMeasured(metric, given.metrics, at));
  return { runId, batch, measured };
}

/** Tags of a run, as many as a client says; an empty name is none. @throws AppError bad_request naming the place */
export const readTags = (tags: readonly unknown[]): KeyValue[] =>
  unique(tags.map((item, at) => readPair(item, `tags[${at}]`, MAX_TAG))).filter(
    ({ key, value }) => key !== RUN_NAME_TAG || value !== '',
  );

function readMeasured(metric: MetricPoint, metrics: unknown, at: number): MeasuredModel[] {
  const given = (metrics as Array<Record<string, unknown>>)[at];
  const text = (name: string): string => {
    const value = given?.[name] ?? '';
    if (typeof value !== 'string' || value.length > MAX_DATASET_NAME)
      throw invalid(`metrics[${at}].${name}`, `must be a text of at most ${MAX_DATASET_NAME} characters`);
    return value;
  };
  const [modelId, datasetName, datasetDigest] = [
    text('model_id'),
    text('dataset_name'),
    text('dataset_digest'),
  ];
  return modelId === '' ? [] : [{ ...metric, modelId, datasetName, datasetDigest }];
}

/** The newest progress of a batch, from 0 to 1, or null when it reports none. */
export function progressOf(batch: RunBatch): number | null {
  const values = batch.metrics
    .filter((metric) => metric.key === PROGRESS_METRIC && Number.isFinite(metric.value))
    .map((metric) => metric.value);
  return values.length === 0 ? null : Math.min(1, Math.max(0, Math.max(...values)));
}

function readMetric(item: unknown, at: number): MetricPoint {
  const place = `metrics[${at}]`;
  const given = asObject(item, place);
  return {
    key: readKey(given.key, place),
    value: readValue(given.value, `${place}.value`),
    ts: readInteger(given.timestamp, `${place}.timestamp`),
    step: readInteger(given.step ?? 0, `${place}.step`),
  };
}

function readPair(item: unknown, place: string, maxLength: number): KeyValue {
  const given = asObject(item, place);
  const value = given.value === undefined || given.value === null ? '' : given.value;
  if (typeof value !== 'string') throw invalid(`${place}.value`, 'must be a text');
  if (value.includes('\u0000')) throw invalid(`${place}.value`, 'must not contain a NUL character');
  // As MLflow's server does it.
  return { key: readKey(given.key, place), value: firstCharacters(value, maxLength) };
}

/** Keys may stand in a path, so nothing is taken that reads as another path. */
function readKey(key: unknown, place: string): string {
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY)
    throw invalid(`${place}.key`, `must have 1 to ${MAX_KEY} characters`);
  if (!NAME.test(key))
    throw invalid(`${place}.key`, 'may only contain letters, digits, "_", "-", ".", ":", space and "/"');
  if (key.startsWith('/') || key.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw invalid(`${place}.key`, 'must not start or end with "/" nor hold the parts "", "." or ".."');
  return key;
}

function readValue(value: unknown, place: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    const special = SPECIAL_NUMBERS[value];
    if (special !== undefined) return special;
    if (value.trim() !== '' && !Number.isNaN(Number(value))) return Number(value);
  }
  throw invalid(place, 'must be a number');
}

function readInteger(value: unknown, place: string): number {
  const number = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(Math.trunc(number)))
    throw invalid(place, 'must be an integer');
  return Math.trunc(number);
}

function asObject(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(place, 'must be an object');
  return value as Record<string, unknown>;
}

function list(value: unknown, place: string, most: number): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(place, 'must be a list');
  if (value.length > most) throw invalid(place, `must hold at most ${most} items`);
  return value;
}

function repeated(pairs: readonly KeyValue[]): string | null {
  const seen = new Set<string>();
  return pairs.find(({ key }) => seen.size === seen.add(key).size)?.key ?? null;
}

/** The last value of each key. */
const unique = (pairs: readonly KeyValue[]): KeyValue[] => [
  ...new Map(pairs.map((pair) => [pair.key, pair])).values(),
];

const invalid = (place: string, problem: string) =>
  new AppError('bad_request', `Invalid value for ${place}: it ${problem}.`);
