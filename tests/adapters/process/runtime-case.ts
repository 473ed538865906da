import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TrackerStandIn } from './tracker-stand-in.js';

/** One task of one runtime, with data that it can learn something from within seconds. */
export interface RuntimeCase {
  readonly runtime: string;
  readonly task: string;
  readonly model: string;
  /** Folder with the files of a dataset. */
  readonly dataset: string;
  readonly split: Readonly<Record<string, unknown>>;
  /** Ends within seconds. */
  readonly quick: string;
  /** Goes on for minutes. */
  readonly long: string;
  readonly epochs: number;
  /** What `quick` must have measured at its end. */
  readonly metrics: readonly string[];
  /** What lies beside the files that every runtime leaves. */
  readonly artifacts: readonly string[];
  /** Formats that the trained model is exported to: each is written, and answers as the model does. */
  readonly exports?: readonly string[];
  /** That of a runtime whose licence binds those who use what it makes; null where it asks for nothing. */
  readonly licence?: string | null;
  /** What else it must do when it is set up so. */
  readonly variants?: readonly RuntimeVariant[];
  /** Whether it begins with weights that it is given, which its own model folder holds. */
  readonly takesWeights?: boolean;
  readonly memoryBytes: number;
  /** For one epoch or the beginning of a server, on a busy machine. */
  readonly patienceMs: number;
}

/** A training that ends well, of which its log says something. */
export interface RuntimeVariant {
  readonly does: string;
  readonly hyperparameters: string;
  /** Another dataset than the case's. */
  readonly dataset?: string;
  readonly says: RegExp;
}

export type Prediction = Readonly<Record<string, unknown>>;

/** A file of one number under a name. */
export function safetensors(name: string): Buffer {
  const head = Buffer.from(JSON.stringify({ [name]: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(head.length));
  return Buffer.concat([length, head, Buffer.alloc(4)]);
}

/** Paths below a folder, in order. */
export function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** The answer to an invocation, as docs/reference/runtime-contract.md gives it for the task. */
export function expectPrediction(task: string, prediction: Prediction, labels: readonly string[]): void {
  expect(prediction.prediction_id).toMatch(/^[0-9a-f-]{36}$/);
  if (task === 'classification') {
    expect(labels).toContain(prediction.label);
    expectScore(prediction.score);
    expect(prediction.scores).toMatchObject({ [String(prediction.label)]: prediction.score });
    return;
  }
  for (const found of prediction.detections as Array<Record<string, unknown>>) {
    expect(labels).toContain(found.label);
    expectScore(found.score);
    const [left, top, right, bottom] = found.box as [number, number, number, number];
    expect(right).toBeGreaterThanOrEqual(left);
    expect(bottom).toBeGreaterThanOrEqual(top);
    if (task.endsWith('segmentation'))
      expect(found.mask).toEqual({ size: [NUMBER, NUMBER], counts: expect.any(String) });
    if (task === 'pose')
      expect(found.keypoints).toEqual((found.keypoints as unknown[]).map(() => [NUMBER, NUMBER, NUMBER]));
    if (task === 'pose') expect(found.keypoints).not.toEqual([]);
    if (task === 'obb') expect(found.corners).toEqual(Array(4).fill([NUMBER, NUMBER]));
  }
}

const NUMBER = expect.any(Number);

function expectScore(score: unknown): void {
  expect(score).toBeGreaterThanOrEqual(0);
  expect(score).toBeLessThanOrEqual(1);
}

interface ExportReport {
  readonly formats: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** `export/export.json`: every wanted format is there, and its answers are those of the trained model. */
export function expectExports(artifacts: ReadonlyMap<string, Buffer>, wanted: readonly string[]): void {
  const { formats } = JSON.parse(String(artifacts.get('export/export.json'))) as ExportReport;
  expect(formats).toMatchObject(wanted.map((format) => ({ format, available: true, reason: null })));
  for (const { file, sha256, max_difference: difference, tolerance, compared_values: values } of formats) {
    expect(
      createHash('sha256')
        .update(artifacts.get(`export/${file}`) ?? '')
        .digest('hex'),
    ).toBe(sha256);
    expect(difference).toBeLessThanOrEqual(tolerance as number);
    expect(values).toBeGreaterThan(0);
  }
}

/** A licence that binds whoever uses the model stands wherever the model goes. */
export function expectLicence(tracker: TrackerStandIn, isExported: boolean, licence: string | null): void {
  const read = (path: string) => String(tracker.artifacts.get(path));
  expect(tracker.tags.get('licence') ?? null).toBe(licence);
  for (const path of ['report.json', ...(isExported ? ['export/export.json'] : [])])
    expect([path, JSON.parse(read(path)).licence ?? null]).toEqual([path, licence]);
  for (const path of ['model/MLmodel', 'model/README.md'])
    expect([path, read(path).includes(licence ?? 'icence')]).toEqual([path, licence !== null]);
}
