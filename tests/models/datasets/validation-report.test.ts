import { describe, expect, it } from '@jest/globals';
import { FORMAT_NOTES } from '../../../formats/annotations/unread-formats.js';
import { buildReport } from '../../../models/datasets/validation/validation-report.rules.js';

describe('validation reports', () => {
  const images = {
    images: 5,
    withoutClass: 1,
    duplicates: 2,
    minWidth: 8,
    maxWidth: 9,
    minHeight: 8,
    maxHeight: 9,
  };
  const facts = {
    tables: { empty: { count: 0, examples: [] }, broken: { count: 0, examples: [] } },
    misnamed: { count: 0, examples: [] },
    more: { errors: [], warnings: [], stats: {} },
    checkedAt: '2026-01-01T00:00:00.000Z',
    files: 5,
    bytes: 10,
    byKind: { image: 5 },
    invalid: 0,
    findings: [],
    formats: [],
    classes: {
      shown: [
        { name: 'a', count: 1 },
        { name: 'b', count: 3 },
      ],
      total: 2,
    },
    images,
  };

  it('warn of what training will feel and count classes', () => {
    const report = buildReport(facts);
    expect(report.errors).toEqual([]);
    expect(report.warnings.map(({ code }) => code)).toEqual([
      'images_without_class',
      'small_classes',
      'duplicate_images',
    ]);
    expect(report.stats).toMatchObject({ images: 5, classes: { a: 1, b: 3 } });
  });

  it('show the 1,000 largest of many classes, and how many there are', () => {
    const classes = Array.from({ length: 5000 }, (_, n) => ({ name: `c${n}`, count: n }));
    const { stats } = buildReport({ ...facts, classes: { shown: classes, total: 5000 } }) as unknown as {
      stats: { classes: Record<string, number>; class_count: number };
    };
    expect([
      Object.keys(stats.classes).length,
      stats.class_count,
      stats.classes.c4999,
      stats.classes.c1,
    ]).toEqual([1000, 5000, 4999, undefined]);
  });

  it('tell which tables hold no row, and what is broken in others', () => {
    const tables = {
      empty: { count: 1, examples: ['a.csv'] },
      broken: { count: 12, examples: ['b.jsonl: 1 line is not valid JSON, the first is line 2'] },
    };
    expect(buildReport({ ...facts, tables }).warnings).toEqual(
      expect.arrayContaining([
        { code: 'empty_tables', message: 'Tables hold no row (1): a.csv.', file_id: null },
        {
          code: 'broken_tables',
          message:
            'Tables have broken rows (12): b.jsonl: 1 line is not valid JSON, the first is line 2, ....',
          file_id: null,
        },
      ]),
    );
  });

  it('name files that are not what their names say', () => {
    const { warnings } = buildReport({ ...facts, misnamed: { count: 12, examples: ['a.png', 'b.xml'] } });
    expect(warnings).toContainEqual({
      code: 'misnamed_files',
      message: 'Files are not what their names say, and are not used (12): a.png, b.xml, ....',
      file_id: null,
    });
  });

  it('name formats that are not read', () => {
    const [labelMe] = FORMAT_NOTES;
    const { warnings } = buildReport({
      ...facts,
      formats: [{ reason: labelMe?.reason ?? '', count: 12, examples: ['a.json', 'b.json'] }],
    });
    const message =
      '12 files look like LabelMe, which is not read; convert them to COCO, YOLO or Pascal VOC: a.json, b.json, ....';
    expect(warnings).toContainEqual({ code: 'unread_annotations', message, file_id: null });
  });

  it('say how many errors are not listed', () => {
    const report = buildReport({
      ...facts,
      invalid: 7,
      findings: [{ code: 'file_invalid', message: 'x', file_id: 'f' }],
    });
    expect(report.errors.at(-1)).toMatchObject({
      code: 'more_invalid_files',
      message: expect.stringContaining('6 more'),
    });
  });
});
