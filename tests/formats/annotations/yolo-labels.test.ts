import { describe, expect, it } from '@jest/globals';
import type { AnnotationReading } from '../../../formats/annotations/annotation.types.js';
import { unpackObjects } from '../../../formats/annotations/packed-objects.js';
import { YoloForms } from '../../../formats/annotations/yolo/yolo-forms.js';
import { readClassNames, readYoloLabels } from '../../../formats/annotations/yolo/yolo-labels.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const objectsOf = (reading: AnnotationReading) =>
  [...(reading.facts?.entries ?? [])].map((entry) => [...unpackObjects(entry.objects)]);

describe('YOLO labels', () => {
  it('are boxes, outlines, corners or key points, by how many numbers their lines have', () => {
    const box = readYoloLabels('3 0.5 0.5 0.2 0.4\r\n\n', 'labels/train/a.txt');
    expect(box.facts).toMatchObject({
      objectCount: 1,
      entries: [
        {
          refs: ['images/train/a', 'train/a', 'labels/train/a'],
          name: 'train/a',
          split: 'train',
          extension: null,
        },
      ],
    });
    expect(objectsOf(box)[0]?.[0]).toMatchObject({
      classId: 3,
      values: 4,
      box: [0.4, 0.3, 0.2, 0.4].map(expect.closeTo),
    });
    const outline = readYoloLabels('0 0.1 0.1 0.5 0.1 0.5 0.9', 'a.txt');
    expect(objectsOf(outline)[0]?.[0]?.hull).toEqual(
      [0.1, 0.1, 0.4, 0.8].map((value) => expect.closeTo(value, 5)),
    );
    const task = (counts: number[], poseValues: number | null = null) => forms(counts, poseValues).task;
    expect([
      task([]),
      task([4]),
      task([6, 10]),
      task([8]),
      task([8, 12]),
      task([4, 8, 6]),
      task([7, 55]),
      task([38], 38),
    ]).toEqual([
      'detection',
      'detection',
      'instance_segmentation',
      'obb',
      'instance_segmentation',
      'instance_segmentation',
      'pose',
      'pose',
    ]);
  });

  const forms = (counts: number[], poseValues: number | null = null) => {
    const found = new YoloForms(poseValues);
    for (const [at, count] of counts.entries()) found.add(count, `a.txt: object ${at + 1}`);
    return found;
  };
  const times = (count: number, values: number): number[] => Array(count).fill(values);

  it.each([
    [
      'pose',
      [...times(10, 55), 51, 8],
      55,
      ['11 has 51', '12 has 8'],
      /\(55 numbers after the class, by kpt_shape\)/,
    ],
    [
      'pose',
      [55, ...times(10, 4)],
      55,
      times(10, 4).map((values, at) => `${at + 2} has ${values}`),
      /kpt_shape/,
    ],
    ['obb', [...times(10, 8), 7], null, ['11 has 7'], /four corners/],
    ['obb', [...times(99, 8), 10], null, ['100 has 10'], /four corners/],
    ['instance_segmentation', [...times(10, 8), 10, 4, 7], null, ['12 has 4', '13 has 7'], /outlines/],
    ['detection', [...times(10, 4), 8, 7, 7], null, ['11 has 8', '12 has 7', '13 has 7'], /boxes \(4/],
    ['detection', times(10, 4), 55, [], /boxes \(4/],
    ['pose', [...times(10, 7), 4], null, ['11 has 4'], /key points$/],
  ])(
    'of the kind %s stay so where a few lines are written otherwise, which are named',
    (task, counts, poseValues, others, expected) => {
      const found = forms(counts, poseValues);
      expect(found.task).toBe(task);
      expect([...found.others.examples].sort()).toEqual(
        others.map((one) => `a.txt: object ${one} numbers after its class`).sort(),
      );
      expect(found.others.count).toBe(others.length);
      expect(found.expected).toMatch(expected);
    },
  );

  it('say that kpt_shape fits none of them', () => {
    const { words, ...rest } = forms([16, 4], 19).unlikeDeclared;
    expect(rest).toMatchObject({
      count: 2,
      examples: expect.arrayContaining(['a.txt: object 1 has 16 numbers after its class']),
    });
    expect(words).toMatch(/none has the 19 numbers/);
    for (const fitting of [forms([19, 16], 19), forms([16]), forms([], 19)])
      expect(fitting.unlikeDeclared.count).toBe(0);
  });

  it.each([
    ['0 0.5 0.5 0.5', /3 numbers/],
    ['0 0.5 0.5 0.5 0.5 0.9', /confidence/],
    ['0 0.5 0.5 nan 0.5', /finite/],
    ['0 0.5 0.5 1e400 0.5', /finite/],
    ['0 0x1 0.5 0.5 0.5', /finite/],
    ['-1 0.5 0.5 0.5 0.5', /class number/],
    ['1.5 0.5 0.5 0.5 0.5', /class number/],
    ['9999999999 0.5 0.5 0.5 0.5', /class number/],
    ['0,0.5,0.5,0.5,0.5', /class number/],
  ])('are refused with the line: %s', (line, reason) => {
    expect(readYoloLabels(`0 0.5 0.5 0.1 0.1\n${line}`, 'a.txt').problem).toMatch(reason);
    expect(readYoloLabels(`0 0.5 0.5 0.1 0.1\n${line}`, 'a.txt').problem).toContain('line 2');
  });

  it('are refused beyond 50,000 objects and in lines without end, which would take memory out of proportion', () => {
    const box = '0 0.5 0.5 0.1 0.1\n';
    expect(readYoloLabels(box.repeat(50_000), 'a.txt').facts?.objectCount).toBe(50_000);
    expect(readYoloLabels(box.repeat(50_001), 'a.txt').problem).toMatch(/more than 50000 objects/);
    expect(readYoloLabels(`${box}0 ${'0.5 '.repeat(70_000)}`, 'a.txt').problem).toMatch(
      /line 2 of its labels is longer than 262144/,
    );
  });

  it.each([
    ['digits', `0 ${'1'.repeat(250_000)}x`],
    ['digits of a class', `${'1'.repeat(250_000)} 0`],
    ['zeros of a class', `1.${'0'.repeat(250_000)}x 0`],
    ['digits of many numbers', `0${` ${'1'.repeat(60)}x`.repeat(4000)}`],
    ['digits after the point', `0 .${'1'.repeat(250_000)}x`],
    ['exponents', `0 1e${'1'.repeat(250_000)}x`],
    ['spaces', `0${' '.repeat(250_000)}x`],
  ])('are refused in no more time than it takes to read them: %s', (_, text) => {
    const spent = cpuMs(() =>
      expect(readYoloLabels(text, 'a.txt').problem).toMatch(/class number|finite number/),
    );
    expect(spent).toBeLessThan(NO_SQUARE_MS);
  });

  it('take their names from a list of lines', () => {
    expect(readClassNames('cat\r\ndog\n\nhen\n').facts?.classes).toEqual([
      { id: 0, name: 'cat' },
      { id: 1, name: 'dog' },
      { id: 3, name: 'hen' },
    ]);
  });
});
