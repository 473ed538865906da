import { describe, expect, it } from '@jest/globals';
import { lineLook, LOOKS, looksOf, partLook, runLook } from '../../../web/src/shared/charts/line-looks.js';
import {
  align,
  csvOf,
  positiveOnly,
  rangeOf,
  smooth,
  summaryOf,
} from '../../../web/src/shared/charts/series.js';
import { timeMarks } from '../../../web/src/shared/charts/time-marks.js';

const points = (...values: Array<number | null>) => values.map((y, x) => ({ x, y }));

describe('an axis of time', () => {
  const at = (day: number, ...time: [number, number, number]) =>
    new Date(2026, 10, day, ...time).getTime() / 1000;

  it('has hours of 24, and the day where it begins and changes', () => {
    expect(timeMarks([at(3, 22, 0, 0), at(3, 23, 30, 0), at(4, 1, 0, 0)], 5400)).toEqual([
      '22:00\n2026-11-03',
      '23:30',
      '01:00\n2026-11-04',
    ]);
    const utc = [Date.UTC(2026, 10, 3, 23, 30), Date.UTC(2026, 10, 4, 0, 30)].map((ms) => ms / 1000);
    expect(timeMarks(utc, 3600, 'utc')).toEqual(['23:30\n2026-11-03', '00:30\n2026-11-04']);
    expect(timeMarks([at(3, 9, 5, 7)], 1)).toEqual(['09:05:07\n2026-11-03']);
    expect(timeMarks([at(3, 0, 0, 0), at(4, 0, 0, 0)], 86_400)).toEqual(['2026-11-03', '2026-11-04']);
  });
});

describe('looks of lines', () => {
  it('gives a run its colour by its id, whatever stands beside it', () => {
    const alone = looksOf(['b51e']).get('b51e');
    const beside = looksOf(['b51e', 'c0ff', '77aa']).get('b51e');
    expect(beside).toEqual(alone);
    expect(alone).toEqual(runLook('b51e'));
  });

  it('keeps the colour of each of twenty runs, and dashes those that share one', () => {
    const ids = Array.from({ length: 20 }, (_, at) => `${at}`.padStart(8, 'c'));
    for (const [id, look] of looksOf(ids)) expect([id, look.light]).toEqual([id, runLook(id).light]);
  });

  it('draws all curves of a run in its colour', () => {
    const parts = [0, 1, 2].map((place) => partLook('b51e', place));
    expect(new Set(parts.map(({ light }) => light))).toEqual(new Set([runLook('b51e').light]));
    expect(new Set(parts.map(({ dash }) => dash.join())).size).toBe(3);
    expect(parts[0]).toEqual(runLook('b51e'));
  });

  it('distinguishes twenty runs', () => {
    const ids = Array.from({ length: 20 }, (_, at) => `run-${at}`);
    const looks = [...looksOf(ids).values()].map((look) => JSON.stringify(look));
    expect(new Set(looks).size).toBe(20);
  });

  it('draws the first eight solid and begins again with dashes', () => {
    expect(lineLook(7).dash).toEqual([]);
    expect(lineLook(8)).toMatchObject({ light: lineLook(0).light, dash: [6, 4] });
    expect(lineLook(LOOKS)).toEqual(lineLook(0));
  });
});

describe('smooth', () => {
  it('changes nothing without weight', () => {
    expect(smooth(points(1, 5, null, 2), 0)).toEqual(points(1, 5, null, 2));
  });

  it('keeps a level line level from its first point on', () => {
    for (const { y } of smooth(points(3, 3, 3, 3), 0.9)) expect(y).toBeCloseTo(3, 10);
  });

  it('leaves out what is no number', () => {
    const smoothed = smooth(points(1, null, 1), 0.5);
    expect(smoothed.map(({ y }) => y)).toEqual([1, null, 1]);
  });
});

describe('align', () => {
  it('takes the places of the first curve where all have the same', () => {
    expect(align([points(1, 2), points(3, null)])).toEqual([
      [0, 1],
      [1, 2],
      [3, null],
    ]);
  });

  it('joins places, and distinguishes a missing point from one that is no number', () => {
    const columns = align([
      [
        { x: 0, y: 1 },
        { x: 2, y: null },
      ],
      [{ x: 1, y: 5 }],
    ]);
    expect(columns).toEqual([
      [0, 1, 2],
      [1, undefined, null],
      [undefined, 5, undefined],
    ]);
  });

  it('orders places, and keeps the later of two points in one place', () => {
    const curve = [
      { x: 5, y: 1 },
      { x: 3, y: 2 },
      { x: 5, y: 9 },
    ];
    expect(align([curve])).toEqual([
      [3, 5],
      [2, 9],
    ]);
  });
});

it('draws only positive values on a logarithmic axis', () => {
  expect(positiveOnly(points(-1, 0, 2)).map(({ y }) => y)).toEqual([null, null, 2]);
});

it('writes CSV whose texts are no formulas', () => {
  const csv = csvOf(
    'step',
    ['=1+1', 'a,b'],
    [
      [1, 2],
      [0.5, undefined],
      [null, 3],
    ],
  );
  expect(csv).toBe(`step,'=1+1,"a,b"\n1,0.5,\n2,,3\n`);
});

it('sums a curve up', () => {
  expect(summaryOf(points(4, 1, null, 7, 2))).toEqual({
    last: 2,
    least: 1,
    greatest: 7,
    leastAt: 1,
    greatestAt: 3,
  });
  expect(summaryOf([])).toMatchObject({ last: null, least: null, greatestAt: null });
});

it('finds between which values a metric went, whatever of it is no number', () => {
  expect(rangeOf([3, null, -1, 2])).toEqual({ least: -1, greatest: 3 });
  expect(rangeOf([null])).toEqual({ least: null, greatest: null });
});
