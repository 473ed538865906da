import type { AnnotationTask } from '../annotation-format.js';
import { ExampleCounter } from '../example-counter.js';

/** What a line of a label file is by how many numbers follow its class; `declared` has as many as `kpt_shape` says. */
export type YoloForm = 'declared' | 'box' | 'keypoints' | 'corners' | 'outline';

interface Kind {
  readonly task: AnnotationTask;
  readonly forms: readonly YoloForm[];
  readonly words: string;
}

/** Outlines of other than four points, below this share, are broken lines among four corners. */
const FEW = 1 / 50;

/**
 * How the objects of a YOLO dataset are written. The kind that `kpt_shape` declares counts as soon as one line has it,
 * otherwise what most lines are: boxes (4 numbers), key points (an odd number), corners of turned boxes (8) or outlines.
 */
export class YoloForms {
  private readonly counters: Readonly<Record<YoloForm, ExampleCounter>> = {
    declared: new ExampleCounter(),
    box: new ExampleCounter(),
    keypoints: new ExampleCounter(),
    corners: new ExampleCounter(),
    outline: new ExampleCounter(),
  };

  /** @param poseValues numbers of a line with key points, where the dataset says so */
  constructor(private readonly poseValues: number | null) {}

  add(values: number, place: string): void {
    this.counters[this.formOf(values)].add(`${place} has ${values} numbers after its class`);
  }

  /** @param values numbers after the class */
  formOf(values: number): YoloForm {
    if (values === this.poseValues) return 'declared';
    if (values === 4) return 'box';
    if (values % 2 === 1) return 'keypoints';
    return values === 8 ? 'corners' : 'outline';
  }

  /** Forms of the lines that a task can use: those of the dataset's kind, and boxes where boxes are asked for. */
  usable(task: AnnotationTask): readonly YoloForm[] {
    const { forms } = this.kind();
    return task === 'detection' && !forms.includes('box') ? [...forms, 'box'] : forms;
  }

  get task(): AnnotationTask {
    return this.kind().task;
  }

  /** What each line of the dataset should be, in words. */
  get expected(): string {
    return this.kind().words;
  }

  /** Objects that are written otherwise. */
  get others(): { readonly count: number; readonly examples: readonly string[] } {
    const { forms } = this.kind();
    const others = Object.entries(this.counters).flatMap(([form, counter]) =>
      forms.includes(form as YoloForm) ? [] : [counter],
    );
    const all = new ExampleCounter();
    // The rarest form first, so that the examples show it.
    for (const { examples } of others.sort((a, b) => a.count - b.count))
      for (const example of examples) all.add(example);
    return { count: others.reduce((sum, { count }) => sum + count, 0), examples: all.examples };
  }

  /** All objects, where `kpt_shape` fits none of them. */
  get unlikeDeclared(): {
    readonly count: number;
    readonly examples: readonly string[];
    readonly words: string;
  } {
    const { declared, ...counters } = this.counters;
    const others = this.poseValues === null || declared.count > 0 ? [] : Object.values(counters);
    return {
      count: others.reduce((sum, { count }) => sum + count, 0),
      examples: others.flatMap(({ examples }) => examples),
      words: `objects do not fit kpt_shape: none has the ${this.poseValues} numbers after its class that it says`,
    };
  }

  private kind(): Kind {
    const { declared, box, keypoints, corners, outline } = this.counters;
    if (declared.count > 0)
      return {
        task: 'pose',
        forms: ['declared'],
        words: `boxes with key points (${this.poseValues} numbers after the class, by kpt_shape)`,
      };
    const outlines = corners.count + outline.count;
    if (outlines > 0 && outlines >= Math.max(box.count, keypoints.count))
      return outline.count < FEW * outlines
        ? { task: 'obb', forms: ['corners'], words: 'four corners (8 numbers after the class)' }
        : {
            task: 'instance_segmentation',
            forms: ['corners', 'outline'],
            words: 'outlines (pairs of numbers after the class)',
          };
    if (keypoints.count > 0 && keypoints.count >= box.count)
      return { task: 'pose', forms: ['keypoints'], words: 'boxes with key points' };
    return { task: 'detection', forms: ['box'], words: 'boxes (4 numbers after the class)' };
  }
}
