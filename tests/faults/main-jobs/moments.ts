import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { EPOCHS } from './main-job.js';
import { trainersOf } from './processes.js';

/** What the API shows of a training. */
export interface ShownTraining {
  readonly id: string;
  readonly status: string;
  /** Status by key. */
  readonly steps: Readonly<Record<string, string>>;
}

/** What lies on the disk of the machine that trains. */
export interface TrainingOnDisk {
  readonly hasFolder: boolean;
  /** Null while none runs. */
  readonly program: { readonly pid: number; readonly shim: number; readonly file: string } | null;
  /** What the program has said since it was last started. */
  readonly log: string;
  readonly checkpoint: 'none' | 'written' | 'there';
}

export type Struck = 'worker' | 'trainer' | 'shim';

export interface Moment {
  readonly name: string;
  /** Whether it is now, by what the API shows and by what lies on the disk. */
  readonly shows?: (training: ShownTraining) => boolean;
  readonly lies?: (training: TrainingOnDisk) => boolean;
}

const saysEpochs = ({ log }: TrainingOnDisk): number => log.match(/Epoch \d+\//g)?.length ?? 0;
const trains = ({ program }: TrainingOnDisk): boolean => program?.file === 'train.py';

/** The moments of one training, in their order. A part of the platform dies at each. */
const QUEUED: Moment = { name: 'queued', shows: ({ status }) => status === 'QUEUED' };
const PREPARING: Moment = { name: 'preparing', shows: ({ steps }) => steps.prepare === 'running' };
const STARTING: Moment = {
  name: 'starting the job',
  lies: ({ hasFolder, program }) => hasFolder && program === null,
};
const MATERIALISING: Moment = {
  name: 'materialising the dataset',
  lies: ({ program }) => program?.file === 'stage.py',
};
const READING: Moment = {
  name: 'reading the images',
  lies: (training) => trains(training) && training.log.includes('Reading') && saysEpochs(training) === 0,
};
const TRAINING: Moment = {
  name: 'amid an epoch',
  lies: (training) => trains(training) && saysEpochs(training) >= 3 && saysEpochs(training) < EPOCHS,
};
const CHECKPOINT: Moment = {
  name: 'a checkpoint is written',
  lies: (training) => trains(training) && training.checkpoint === 'written',
};
const EVALUATING: Moment = {
  name: 'evaluating',
  lies: (training) =>
    trains(training) &&
    training.checkpoint === 'there' &&
    training.log.includes(`Epoch ${EPOCHS}/`) &&
    !training.log.includes('Test:'),
};
const STORING: Moment = {
  name: 'storing the model',
  lies: (training) => trains(training) && training.log.includes('Test:') && !training.log.includes('Done:'),
};
const ENDING: Moment = {
  name: 'the job ends',
  lies: (training) => trains(training) && training.log.includes('Done:'),
};
const ENDED: Moment = {
  name: 'the job has ended',
  shows: ({ steps }) => steps.train === 'running',
  lies: ({ program, log }) => program === null && log.includes('Done:'),
};
const FINALIZING: Moment = { name: 'finalizing', shows: ({ steps }) => steps.finalize === 'running' };
const REGISTERING: Moment = {
  name: 'registering the model',
  shows: ({ steps }) => steps.finalize === 'done' && steps.register !== 'done',
};
const BUILDING: Moment = { name: 'building the image', shows: ({ steps }) => steps.image === 'running' };
const SERVING: Moment = {
  name: 'creating the endpoint',
  shows: ({ steps, status }) => steps.image === 'done' && status === 'FINALIZING',
};
const OVER: Moment = { name: 'ended', shows: ({ status }) => status === 'SUCCEEDED' };

/**
 * One training each: where the worker dies, and where its process does, which goes on once by itself. Each has a moment that
 * lasts long enough to be struck for sure.
 */
export const COURSES: ReadonlyArray<ReadonlyArray<readonly [Struck, Moment]>> = [
  [
    ['worker', QUEUED],
    ['trainer', MATERIALISING],
    ['worker', ENDED],
  ],
  [
    ['worker', PREPARING],
    ['trainer', READING],
    ['worker', FINALIZING],
  ],
  [
    ['trainer', TRAINING],
    ['worker', REGISTERING],
  ],
  [
    ['worker', MATERIALISING],
    ['trainer', CHECKPOINT],
  ],
  [
    ['worker', READING],
    ['trainer', EVALUATING],
    ['worker', SERVING],
  ],
  [
    ['worker', TRAINING],
    ['trainer', STORING],
  ],
  [
    ['worker', CHECKPOINT],
    ['trainer', ENDING],
    ['worker', OVER],
  ],
  [
    ['worker', STARTING],
    ['worker', EVALUATING],
    ['shim', STORING],
  ],
  [
    ['worker', STORING],
    ['shim', ENDING],
    ['worker', BUILDING],
  ],
  [
    ['shim', TRAINING],
    ['worker', ENDING],
  ],
];

export async function shownOf(owner: pg.Client, name: string): Promise<ShownTraining | null> {
  const { rows } = await owner.query<ShownTraining>(
    `select e.id, e.status, (select json_object_agg(s.key, s.status) from training_step s where s.experiment_id = e.id and s.attempt = e.attempt) as steps
     from training_experiment e where e.name = $1`,
    [name],
  );
  return rows[0] ?? null;
}

export function onDisk(workloads: string, id: string): TrainingOnDisk {
  const folder = join(workloads, `tr-${id}-1`);
  const found = trainersOf(workloads).find(({ experimentId }) => experimentId === id);
  const checkpoints = join(folder, 'work/checkpoints/latest.skops');
  return {
    hasFolder: existsSync(folder),
    program: found
      ? { pid: found.pid, shim: found.shim, file: /(\w+\.py)\b/.exec(found.command)?.[1] ?? '' }
      : null,
    log: logOf(folder),
    checkpoint: existsSync(`${checkpoints}.tmp`) ? 'written' : existsSync(checkpoints) ? 'there' : 'none',
  };
}

function logOf(folder: string): string {
  try {
    const text = readFileSync(join(folder, 'instances/0/log', `${'0'.repeat(20)}.log`), 'utf8');
    return text.slice(text.lastIndexOf('[runner] Start') + 1);
  } catch {
    return '';
  }
}
