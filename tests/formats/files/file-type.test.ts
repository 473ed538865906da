import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recognizeFile } from '../../../formats/files/file-type.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');

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
