import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';

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
  readonly export?: Readonly<Record<string, unknown>>;
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
    expect(prediction.scores).toMatchObject({ [String(prediction.label)]: prediction.score });
    return;
  }
  for (const found of prediction.detections as Array<Record<string, unknown>>) {
    expect(labels).toContain(found.label);
    const [left, top, right, bottom] = found.box as [number, number, number, number];
    expect(right).toBeGreaterThanOrEqual(left);
    expect(bottom).toBeGreaterThanOrEqual(top);
    if (task.endsWith('segmentation'))
      expect(found.mask).toMatchObject({ size: expect.any(Array), counts: expect.any(String) });
    if (task === 'pose') expect(found.keypoints).toEqual(expect.any(Array));
    if (task === 'obb')
      expect(found.corners).toMatchObject(Array(4).fill([expect.any(Number), expect.any(Number)]));
  }
}
