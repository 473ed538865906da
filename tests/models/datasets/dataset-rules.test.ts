import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  expectedChunkBytes,
  checkChunkSize,
  MAX_CHUNKS,
  MIN_CHUNK_BYTES,
  missingChunks,
  planChunks,
  replacedChunks,
} from '../../../models/datasets/uploads/chunk.rules.js';
import { keyFromName, numberedKey } from '../../../models/datasets/catalog/dataset-key.rules.js';
import {
  checkFilePath,
  findFolderClash,
  foldersOf,
  labelOf,
} from '../../../models/datasets/files/file-path.rules.js';
import { recognizeFile } from '../../../formats/files/file-type.js';
import { digestLine, manifestLine } from '../../../models/datasets/validation/manifest.rules.js';
import { FORMAT_NOTES } from '../../../formats/annotations/unread-formats.js';
import { buildReport } from '../../../models/datasets/validation/validation-report.rules.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('file paths', () => {
  it('are normalised once: a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (name) => {
        const { path } = checkFilePath(name);
        if (path !== null) expect(checkFilePath(path)).toEqual({ path, problem: null });
      }),
    );
  });

  it('may begin with a letter and a colon, but name no drive', () => {
    for (const name of ['a:b.png', 'C:x/y.png', 'x/C:/y.png']) expect(checkFilePath(name).path).toBe(name);
    for (const name of ['C:/x.png', 'c:', './C://x'])
      expect(checkFilePath(name).problem).toBe('the name is an absolute path');
  });

  it('never leave the dataset, whatever they are made of', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('..', '.', '', 'a', '/', '\\', 'C:', '\0', 'é', '%2e%2e'), {
          maxLength: 12,
        }),
        (parts) => {
          const { path } = checkFilePath(parts.join('/'));
          if (path === null) return;
          expect(path.split('/')).not.toContain('..');
          expect(path).not.toMatch(/^\/|\\|^[A-Za-z]:|\/\/|\/$|\0/);
        },
      ),
    );
  });

  it('have names of at most 255 bytes, as file systems do', () => {
    for (const name of ['a'.repeat(255), 'ß'.repeat(127), '世'.repeat(85), '🙂'.repeat(63)])
      expect(checkFilePath(`x/${name}/y`).problem).toBeNull();
    for (const name of ['a'.repeat(256), 'ß'.repeat(128), '世'.repeat(86), '🙂'.repeat(64)]) {
      expect(Buffer.byteLength(name)).toBeGreaterThan(255);
      expect(checkFilePath(`x/${name}/y`).problem).toMatch(/255 bytes/);
    }
  });

  it('hold nothing that turns the direction of writing or breaks the line', () => {
    for (const char of ['\u061c', '\u200e', '\u2028', '\u202e', '\u2066', '\u2069'])
      expect(checkFilePath(`a/${char}gnp.exe`).problem).toMatch(/direction/);
    expect(checkFilePath('עברית/سلام.png').problem).toBeNull();
  });

  it('join what only differs in form', () => {
    expect(checkFilePath('./a//b/./e\u0301.png').path).toBe('a/b/\u00e9.png');
  });

  it('have no part that is nothing but blanks', () => {
    for (const name of [' ', 'a/ /b.png', 'a/\u00a0', '\u3000/b.png', '\ufeff'])
      expect(checkFilePath(name).problem).toMatch(/nothing but blanks/);
    expect(checkFilePath(' a/b .png').path).toBe(' a/b .png');
  });

  it('are found when one is a folder of another', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a!', 'a0', 'é', '🙂'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path), (paths) => {
        const over = paths.filter((one) => paths.some((other) => other.startsWith(`${one}/`)));
        const found = findFolderClash(paths);
        expect(found === null ? over.length === 0 : over.includes(found)).toBe(true);
      }),
    );
    const deep = Array.from({ length: 100_000 }, (_, n) => `${n}/${'f/'.repeat(250)}`.slice(0, 510));
    expect(cpuMs(() => expect(findFolderClash(deep)).toBeNull())).toBeLessThan(3 * NO_SQUARE_MS);
  });

  it('tell class and folders', () => {
    expect([labelOf('cats/x/1.png'), labelOf('1.png'), foldersOf('a/b/c')]).toEqual([
      'cats',
      null,
      ['a', 'a/b'],
    ]);
  });
});

describe('chunks', () => {
  const sizes = fc.integer({ min: 0, max: 2 ** 42 });
  const asked = fc.option(fc.integer({ min: MIN_CHUNK_BYTES, max: 2 ** 30 }));

  it('cover the file exactly, within 10,000, in the asked size where that is possible', () => {
    fc.assert(
      fc.property(sizes, asked, (sizeBytes, askedBytes) => {
        const plan = planChunks(sizeBytes, askedBytes);
        expect(plan.chunkCount).toBeLessThanOrEqual(MAX_CHUNKS);
        const full = Math.max(0, plan.chunkCount - 1) * plan.chunkBytes;
        if (plan.chunkCount > 0) {
          const last = expectedChunkBytes(plan.chunkCount - 1, { sizeBytes, ...plan });
          expect(last).toBeGreaterThan(0);
          expect(last).toBeLessThanOrEqual(plan.chunkBytes);
          expect(full + last).toBe(sizeBytes);
        } else expect(sizeBytes).toBe(0);
        if (askedBytes !== null && Math.ceil(sizeBytes / askedBytes) <= MAX_CHUNKS)
          expect(plan.chunkBytes).toBe(askedBytes);
      }),
    );
  });

  it('are parts of one upload only where the store takes such parts', () => {
    expect(planChunks(10 * 2 ** 20, 2 ** 20).isMultipart).toBe(false);
    expect(planChunks(100, null).isMultipart).toBe(true);
    expect(planChunks(2 ** 30, null)).toEqual({ chunkBytes: 2 ** 25, chunkCount: 32, isMultipart: true });
    expect(planChunks(0, null)).toEqual({ chunkBytes: 2 ** 25, chunkCount: 0, isMultipart: false });
  });

  it('are replaced where no part of their number has their bytes', () => {
    const chunks = [
      { index: 0, etag: 'a' },
      { index: 1, etag: 'b' },
      { index: 2, etag: 'c' },
    ];
    const part = (partNumber: number, etag: string) => ({ partNumber, etag });
    expect(replacedChunks(chunks, [part(1, 'z'), part(1, 'a'), part(2, 'a'), part(2, 'c')])).toEqual(
      chunks.slice(1),
    );
    expect(replacedChunks(chunks, [part(3, 'c'), part(2, 'b'), part(1, 'a')])).toEqual([]);
  });

  it('are refused by size and index with their own codes', () => {
    const plan = { sizeBytes: 150_000, chunkBytes: 65_536, chunkCount: 3 };
    const code = (index: number, length: number | null) => {
      try {
        return checkChunkSize(index, length, plan);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect([
      code(0, 65_536),
      code(2, 18_928),
      code(0, 65_537),
      code(0, 10),
      code(3, 1),
      code(0, null),
    ]).toEqual([
      65_536,
      18_928,
      'payload_too_large',
      'unprocessable_entity',
      'unprocessable_entity',
      'unprocessable_entity',
    ]);
  });

  it('missing are those not received, in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), fc.integer({ min: 0, max: 40 }), (received, count) => {
        const missing = missingChunks(count, received);
        expect(new Set([...missing, ...received.filter((index) => index < count)]).size).toBe(count);
        expect(missing).toEqual([...missing].sort((a, b) => a - b));
      }),
    );
  });
});

describe('dataset ids made from names', () => {
  it('are always valid ids, also when numbered', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 1, max: 99_999 }),
        (name, n) => {
          const key = numberedKey(keyFromName(name), n);
          expect(key).toMatch(/^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
        },
      ),
    );
  });
});

describe('files are recognised by their bytes', () => {
  it.each([
    ['\u0089PNG\r\n\u001a\n....', 'x.txt', 'image/png', 'image'],
    ['\u00ff\u00d8\u00ff\u00e0', 'x.png', 'image/jpeg', 'image'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'x', 'image/webp', 'image'],
    ['\0\0\0 ftypavif', 'x', 'image/avif', 'image'],
    ['\0\0\0\u000cjP  \r\n', 'x.jp2', 'image/jp2', 'image'],
    ['\u00ff\u004f\u00ff\u0051', 'x.j2k', 'image/j2c', 'image'],
    ['\0\0\0\u000cJXL \r\n', 'x.jxl', 'image/jxl', 'image'],
    ['\u00ff\n', 'x.jxl', 'image/jxl', 'image'],
    [`${'\0'.repeat(128)}DICM`, 'x', 'application/dicom', 'image'],
    ['8BPS\0\u0001', 'x.psd', 'image/vnd.adobe.photoshop', 'image'],
    ['PK\u0003\u0004', 'x.png', 'application/zip', 'other'],
    ['PAR1', 'x', 'application/vnd.apache.parquet', 'tabular'],
    ['<svg onload=alert(1)>', 'x.png', 'image/svg+xml', 'other'],
    ['<?xml version="1.0"?><!-- c --><svg>', 'x.xml', 'image/svg+xml', 'other'],
    [' \n<!DOCTYPE html><p>', 'x.csv', 'text/html', 'other'],
    ['id,text\n1,<body>hello</body>', 'x.csv', 'text/csv', 'tabular'],
    ['id\ttext\n1\t<script>alert(1)</script>', 'x.TSV', 'text/tab-separated-values', 'tabular'],
    ['{"text":"<!DOCTYPE html><p>"}\n', 'x.jsonl', 'application/x-ndjson', 'tabular'],
    [
      '{"info":{"description":"<html> of <iframe src=x>"},"images":[],"annotations":[]}',
      'x.json',
      'application/json',
      'annotation',
    ],
    ['# <head> of the list\nnames: [a]', 'data.yaml', 'application/yaml', 'annotation'],
    ['<script>alert(1)</script>,2', 'x.csv', 'text/html', 'other'],
    ['<!-- a -->\n<BODY onload=alert(1)>', 'x.json', 'text/html', 'other'],
    ['hello <script>alert(1)</script>', 'x.txt', 'text/html', 'other'],
    ['<annotation><folder>', 'x.xml', 'application/xml', 'annotation'],
    ['{"images": [], "annotations": []}', 'coco.json', 'application/json', 'annotation'],
    ['{"a": 1}', 'x.json', 'application/json', 'other'],
    ['0 0.5 0.5 0.1 0.2\n1 .1 .2 .3 .4\n', 'x.txt', 'text/plain', 'annotation'],
    [
      '<!-- by a tool -->\n<!-- > ] " -->\n<annotation verified="yes">',
      'x.xml',
      'application/xml',
      'annotation',
    ],
    [
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "]>"><!-- it\'s --> ]><annotation>',
      'x.xml',
      'application/xml',
      'annotation',
    ],
    ['<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">', 'x.txt', 'image/svg+xml', 'other'],
    ['<!DOCTYPE x [ <!ENTITY y "z"> ]><SVG/>', 'x.txt', 'image/svg+xml', 'other'],
    ['<?xml version="1.0"?><!-- <svg> --><map>', 'x.xml', 'application/xml', 'other'],
    ['<!-- <annotation> ', 'x.xml', 'text/plain', 'other'],
    ['hello', 'x.txt', 'text/plain', 'other'],
    ['0 0.5 0.5 0.1 0.2\n1 .1 .2 .3 .4\n1 .1 .2 .3\n', 'x.txt', 'text/plain', 'annotation'],
    ['0 0.5 0.5 0.1 0.2\n1,.1,.2,.3,.4\n', 'x.txt', 'text/plain', 'annotation'],
    ['a caption of the image\n0 0.5 0.5 0.1 0.2\nmore of it', 'x.txt', 'text/plain', 'other'],
    ['1 2 3\n4 5 6', 'x.txt', 'text/plain', 'other'],
    ['names: [a, b]\nnc: 2', 'data.yaml', 'application/yaml', 'annotation'],
    ['a,b\n1,2', 'x.csv', 'text/csv', 'tabular'],
    ['\0\u0001\u0002', 'x.csv', 'application/octet-stream', 'other'],
    ['', 'x.png', 'text/plain', 'other'],
  ])('%j as %s is %s', (head, path, mediaType, kind) => {
    expect(recognizeFile(bytes(head), path)).toEqual({ mediaType, kind });
  });

  it.each([
    ['comments', `${'<!---->'.repeat(9000)}<x`],
    ['comments and lines', `<?xml?>${'<!-- -->\n\n'.repeat(6000)}<x`],
    ['an open comment', `<!--${'-'.repeat(65_000)}`],
    ['declarations', '<!doctype ['.repeat(5900)],
    ['quotes', `<!doctype ${'"'.repeat(65_000)}`],
    ['spaces', `<?xml?>${' '.repeat(65_000)}x`],
    ['digits', `0 ${'1'.repeat(65_000)}x`],
    ['digits of a class', '1'.repeat(65_000)],
    ['spaces between digits', `0 ${'1 '.repeat(32_000)}x`],
    ['infinities', `0 ${'inf'.repeat(21_000)}`],
    ['keys', '"images"'.repeat(8000)],
    ['spaces behind a key', `"images"${' '.repeat(65_000)}`],
    ['lines', 'names\n'.repeat(10_000)],
  ])('in no more time than it takes to read them: %s', (_, head) => {
    const spent = cpuMs(() => {
      for (const name of ['x.xml', 'x.txt', 'x.json', 'x.yaml', 'x']) recognizeFile(bytes(head), name);
    });
    expect(spent).toBeLessThan(NO_SQUARE_MS);
  });

  it('never fails on any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.string(),
        (head, path) => void recognizeFile(head, path),
      ),
    );
  });
});

describe('manifests', () => {
  const file = fc.record({
    path: fc.string({ minLength: 1 }),
    sha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
    size: fc.nat(),
  });

  it('have one digest line a file that another file cannot imitate', () => {
    fc.assert(
      fc.property(file, file, (a, b) => {
        const same = a.path === b.path && a.sha256 === b.sha256 && a.size === b.size;
        expect(digestLine(a) === digestLine(b)).toBe(same);
      }),
    );
  });

  it('write keys in a fixed order and leave out what is absent', () => {
    const line = manifestLine({ kind: 'image', key: 'k', size: 1, sha256: 's', path: 'p' });
    expect(line).toBe('{"path":"p","sha256":"s","size":1,"key":"k","kind":"image"}');
  });
});

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
