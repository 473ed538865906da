import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { AnnotationReading } from '../../../formats/annotations/annotation.types.js';
import { tasksServed } from '../../../formats/annotations/annotation-format.js';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import {
  referencedPath,
  refsOfLabel,
  splitOf,
  splitOfFile,
} from '../../../formats/annotations/image-reference.js';
import { OBJECT_BYTES, unpackObjects } from '../../../formats/annotations/packed-objects.js';
import { readPlainXml } from '../../../formats/xml/plain-xml.js';
import { readVoc } from '../../../formats/annotations/voc/voc-annotation.js';
import { readYoloConfig } from '../../../formats/annotations/yolo/yolo-config.js';
import { YoloForms } from '../../../formats/annotations/yolo/yolo-forms.js';
import { readClassNames, readYoloLabels } from '../../../formats/annotations/yolo/yolo-labels.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const objectsOf = (reading: AnnotationReading) =>
  [...(reading.facts?.entries ?? [])].map((entry) => [...unpackObjects(entry.objects)]);

function readCoco(text: string, step = 1 << 20): AnnotationReading | null {
  const reader = new CocoReader();
  const whole = bytes(text);
  for (let at = 0; at < whole.length; at += step) reader.push(whole.subarray(at, at + step));
  return reader.end('annotations/val.json');
}

describe('COCO of long names', () => {
  const push = (
    reader: CocoReader,
    images: number,
    one: (n: number) => { id: number | string; file_name: string },
  ) => {
    reader.push(bytes('{"annotations":[],"images":['));
    for (let n = 0; n < images && reader.isReadable; n += 1)
      reader.push(bytes(`${n > 0 ? ',' : ''}${JSON.stringify(one(n))}`));
    if (reader.isReadable) reader.push(bytes(']}'));
    return reader.end('a.json');
  };
  const heap = () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };

  it('keeps what it compares of them, not the whole', () => {
    const before = heap();
    const reader = new CocoReader();
    const reading = push(reader, 30_000, (n) => ({
      id: n,
      file_name: 'x'.repeat(1490) + String(n).padStart(10, '0'),
    }));
    const held = heap() - before;
    expect(reading?.facts?.imageCount).toBe(30_000);
    expect(held).toBeLessThan(32);
  });

  it('is refused where names and ids take too much together', () => {
    const reading = push(new CocoReader(), 200_000, (n) => ({
      id: 'i'.repeat(90) + n,
      file_name: 'x'.repeat(500) + n,
    }));
    expect(reading?.problem).toBe('its image names and ids take more than 67108864 bytes together; part it');
  });
});

describe('COCO', () => {
  const file = JSON.stringify({
    licenses: [{ name: '}]"\\' }],
    images: [
      { id: 7, file_name: 'x\\y "quoted" é.jpg', width: 10, height: 20 },
      { id: 8, file_name: 'z.jpg' },
    ],
    annotations: [
      { image_id: 8, category_id: 1, bbox: [1, 2, 3, 4] },
      { image_id: 7, category_id: 2, bbox: [0, 0, 1, 1], keypoints: [1, 1, 2] },
      { image_id: 8, category_id: 1, bbox: [], segmentation: [[0, 0, 4, 0, 4, 6]] },
      { image_id: 8, caption: 'no object' },
    ],
    categories: [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ],
  });

  it('is read the same however its bytes are cut', () => {
    const whole = readCoco(file);
    expect(whole?.facts).toMatchObject({
      kind: 'coco',
      imageCount: 2,
      objectCount: 3,
      orphanCount: 0,
      classes: [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ],
    });
    const entries = [...(whole?.facts?.entries ?? [])];
    expect(entries.map(({ name, extension, split, width }) => [name, extension, split, width])).toEqual([
      ['x/y "quoted" é', 'jpg', 'val', 10],
      ['z', 'jpg', 'val', null],
    ]);
    expect([...unpackObjects(entries[1]?.objects ?? new Uint8Array())].map(({ box }) => box)).toEqual([
      [1, 2, 3, 4],
      [0, 0, 4, 6],
    ]);
    for (const step of [1, 2, 3, 7, 64])
      expect([...(readCoco(file, step)?.facts?.entries ?? [])]).toEqual(entries);
  });

  it('is refused where one image has more objects than are kept', () => {
    const objects = Array(50_001).fill('{"image_id":2,"category_id":1,"bbox":[0,0,1,1]}');
    const text = (count: number) =>
      `{"images":[{"id":1,"file_name":"a"},{"id":2,"file_name":"b"}],"categories":[],"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,1,1]},${objects.slice(0, count).join(',')}]}`;
    expect(readCoco(text(50_001))).toEqual({
      facts: null,
      problem: 'image 2 of its list has more than 50000 annotations',
    });
    expect(
      [...(readCoco(text(50_000))?.facts?.entries ?? [])].map((entry) => entry.objects.length / OBJECT_BYTES),
    ).toEqual([1, 50_000]);
  });

  it.each([
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[NaN,0,1,1]}]}',
      /NaN and Infinity are no numbers/,
    ],
    ['{"images":[{"id":1,"file_name":"a","width":-Infinity}]}', /NaN and Infinity are no numbers/],
    [
      '{"images":[{"id":9007199254740993,"file_name":"a"}]}',
      /image 1 of its list has an id beyond 2\^53 - 1/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[-1e999,0,1,1]}]}',
      /finite/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1.5,"bbox":[0,0,1,1]}]}',
      /category_id/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"segmentation":[[0,0,1]]}]}',
      /polygon/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,1,1],"segmentation":{"counts":[-1]}}]}',
      /mask/,
    ],
    ['{"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}],"annotations":[]}', /id 1/],
    ['{"images":[{"id":1}],"annotations":[]}', /file_name/],
    ['{"images":[3],"annotations":[]}', /no object/],
    ['{"images":[{"id":1,"file_name":"a"}],"annotations":[', /ends too early/],
    ['{"images":[}', /not valid JSON/],
    ['{"images":[]}x', /not valid JSON/],
    [`{"images":[${'['.repeat(100)}`, /nested deeper/],
    [`{"images":[{"id":1,"file_name":"${'a'.repeat(9_000_000)}"}]}`, /larger than/],
    [`{${Array.from({ length: 1100 }, (_, at) => `"k${at}":[]`).join(',')}}`, /more than 1000/],
  ])('is refused with a reason: %.90s', (text, reason) => {
    expect(readCoco(text)?.problem).toMatch(reason);
    expect(readCoco(text, 5)?.problem).toMatch(reason);
  });

  it('with key points serves segmentation too where it has outlines', () => {
    expect(tasksServed('pose', { polygon: 0, mask: 0 })).toEqual(['pose', 'detection']);
    expect(tasksServed('pose', { polygon: 1, mask: 0 })).toEqual([
      'pose',
      'instance_segmentation',
      'detection',
    ]);
    expect(tasksServed('pose', { polygon: 0, mask: 1 })).toContain('instance_segmentation');
  });

  it('is not every JSON object, and a name in it never leaves the dataset', () => {
    expect(readCoco('{"shapes":[{"points":[[1,2]]}],"imagePath":"a.jpg"}')).toBeNull();
    expect(referencedPath('C:\\x\\..\\..\\etc/./passwd\u0000.png')).toBe('x/etc/passwd?.png');
    expect(referencedPath('../../a.png')).toBe('a.png');
  });
});

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

describe('data.yaml', () => {
  it('names classes as a list or a map, and the shape of key points', () => {
    expect(readYoloConfig('names: [cat, 7, on]\nnc: 3\nkpt_shape: [17, 3]').facts).toMatchObject({
      classes: [
        { id: 0, name: 'cat' },
        { id: 1, name: '7' },
        { id: 2, name: 'on' },
      ],
      keypointShape: [17, 3],
    });
    expect(readYoloConfig('names:\n  0: a\n  5: b').facts?.classes).toEqual([
      { id: 0, name: 'a' },
      { id: 5, name: 'b' },
    ]);
  });

  it('counts classes without naming them', () => {
    expect(readYoloConfig('nc: 2').facts?.classes).toEqual([
      { id: 0, name: 'class_0' },
      { id: 1, name: 'class_1' },
    ]);
    for (const nc of ['0', '-1', '1.5', 'two', '[2]', '10001', '1e9', 'null'])
      expect([nc, readYoloConfig(`nc: ${nc}`).problem]).toEqual([
        nc,
        'its nc is not a whole number from 1 to 10000',
      ]);
    expect(readYoloConfig('kpt_shape: [17, 3]').facts).toMatchObject({ classes: [], keypointShape: [17, 3] });
  });

  const bombs: Array<[string, string, RegExp]> = [
    ['aliases', `a: &a [x]\nb: &b [${'*a,'.repeat(99)}*a]\nnames: [${'*b,'.repeat(99)}*b]`, /aliases/],
    ['a merge', 'a: &a {x: 1}\nnames: {<<: *a}', /aliases/],
    ['size', `names: [${'a,'.repeat(40_000)}a]`, /larger/],
    ['depth', `names: ${'['.repeat(30)}${']'.repeat(30)}`, /nested deeper/],
    ['depth beyond the stack', `names: ${'['.repeat(30_000)}`, /nested deeper than 20/],
    ['maps beyond the stack', `names: ${'{a: '.repeat(11_000)}`, /nested deeper than 20/],
    ['a tag', 'names: !!js/function "x"', /cannot be read/],
    ['a custom tag', 'names: !evil [a]', /cannot be read/],
    ['two documents', 'names: [a]\n---\nnames: [b]', /cannot be read/],
    ['no map', '- a', /no class|not a map|neither/],
    ['other keys', 'names: {cat: 0}', /class number/],
    ['a prototype', 'names: {__proto__: x}', /class number/],
    ['a wrong count', 'names: [a, b]\nnc: 3', /nc: 3/],
    ['a wrong shape', 'names: [a]\nkpt_shape: [17]', /kpt_shape/],
    ['nothing that is YAML', 'names: [a\n b: {', /cannot be read/],
  ];
  it.each(bombs)('is refused with a reason for %s', (_, text, reason) => {
    let problem: string | null = null;
    const spent = cpuMs(() => {
      ({ problem } = readYoloConfig(text));
    });
    if (problem === null) expect(readYoloConfig(text).facts?.classes).toEqual([]);
    else expect(problem).toMatch(reason);
    expect(spent).toBeLessThan(NO_SQUARE_MS);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('with many keys of two letters takes no quadratic time', () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}:`).join('\n');
    expect(cpuMs(() => readYoloConfig(keys))).toBeLessThan(NO_SQUARE_MS);
  });
});

describe('Pascal VOC', () => {
  it('gives boxes, classes and where the image may lie', () => {
    const reading = readVoc(
      '<!-- by a tool --><annotation verified="yes"><filename>p/a.jpeg</filename><!-- x --><size><width>5</width><height>6</height></size><object><name><![CDATA[a<b]]></name><bndbox><ymax>4</ymax><xmin>1.5</xmin><ymin>2</ymin><xmax>3</xmax></bndbox></object></annotation>',
      'VOC/Annotations/a.xml',
    );
    expect(reading.facts).toMatchObject({
      classes: [{ id: 0, name: 'a<b' }],
      entries: [{ name: 'p/a', extension: 'jpeg', width: 5, height: 6 }],
    });
    expect([...(reading.facts?.entries ?? [])][0]?.refs).toContain('VOC/JPEGImages/a');
    expect(objectsOf(reading)[0]?.[0]?.box).toEqual([1.5, 2, 1.5, 2]);
  });

  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>', /document type/],
    ['<annotation><!ENTITY x "y"></annotation>', /document type/],
    ['<annotation>&unknown;</annotation>', /entity/],
    ['<annotation>&amp</annotation>', /entity/],
    ['<annotation>&amp &amp;</annotation>', /entity/],
    [`<annotation>&#${'1'.repeat(20)};</annotation>`, /entity/],
    ['<annotation>&valueOf;</annotation>', /entity/],
    ['<annotation>&#0;</annotation>', /entity/],
    ['<annotation>&#x110000;</annotation>', /entity/],
    [`${'<a>'.repeat(50)}`, /nested deeper/],
    [`<annotation>${'<a/>'.repeat(200_001)}</annotation>`, /more than 200000/],
    ['<annotation><a></annotation>', /not open/],
    ['<annotation>', /ends before/],
    ['<annotation/><annotation/>', /more than one root/],
    ['<annotation/>text', /outside/],
    ['<annotation a="<"/>', /well-formed/],
    ['<annotation a=b/>', /well-formed/],
    ['<annotation><!-- </annotation>', /ends before/],
    ['<annotation/><!-- ', /ends before/],
    ['', /ends before/],
  ])('is refused with a reason: %.60s', (text, reason) => {
    expect(readPlainXml(text).problem).toMatch(reason);
  });

  it.each([
    '\uFEFF<?xml version="1.0"?><a>x</a>',
    '\n <?xml version="1.0"?><a>x</a>',
    '<!-- by a tool --><?xml version="1.0" encoding="utf-8"?><a>x</a>',
    '<a><?xml version="1.0"?>x</a>',
    '<?xml?><a>x</a>',
    '<a>x</a><?XML version="1.0"?>',
  ])('may declare itself anywhere: %j', (text) => {
    expect(readPlainXml(text).root?.text).toBe('x');
  });

  it('takes the five entities and numbers of characters', () => {
    expect(readPlainXml('<a>x&lt;&amp;&gt;;&#65;&#x1F642;&quot;&apos;;y</a>').root?.text).toBe(
      `x<&>;A\u{1f642}"';y`,
    );
  });

  it.each([
    ['ampersands', `<a>${'&'.repeat(4_000_000)}</a>`],
    ['spaces', `<a b${' '.repeat(4_000_000)}!`],
    ['attributes', `<a${' b="c"'.repeat(2_000_000)}!`],
    ['comments that end nowhere', `<a>${'<!--'.repeat(1_000_000)}`],
    ['closing tags', `<a>${'</'.repeat(2_000_000)}`],
  ])('is refused in no more time than it takes to read it: %s', (_, text) => {
    expect(cpuMs(() => expect(readPlainXml(text).problem).toMatch(/its XML/))).toBeLessThan(NO_SQUARE_MS);
  });

  it.each([
    ['<other/>', /not a Pascal VOC/],
    ['<annotation><object><name>a</name></object></annotation>', /no box/],
    [
      '<annotation><object><name>a</name><bndbox><xmin>NaN</xmin><ymin>1</ymin><xmax>1</xmax><ymax>1</ymax></bndbox></object></annotation>',
      /no box/,
    ],
    ['<annotation><object><bndbox/></object></annotation>', /no name/],
  ])('is refused for what it says: %.60s', (text, reason) => {
    expect(readVoc(text, 'a.xml').problem).toMatch(reason);
  });
});

describe('parts of a dataset', () => {
  it('are named by folders, and for files by their names too', () => {
    expect(
      ['train/a.png', 'x/VAL2017/a.png', 'valid/a', 'images/testing/a', 'training.png', 'trainer/a.png'].map(
        splitOf,
      ),
    ).toEqual(['train', 'val', 'val', 'test', null, null]);
    expect(['constructor/a.png', '__proto__/toString/a.png', 'valueOf'].map(splitOf)).toEqual([
      null,
      null,
      null,
    ]);
    expect(
      ['annotations/instances_val2017.json', 'train/_annotations.coco.json', 'all.json'].map(splitOfFile),
    ).toEqual(['val', 'train', null]);
  });

  it('keep their folders between labels and images', () => {
    expect(refsOfLabel('a/labels/b/c.txt')).toEqual(['a/images/b/c', 'a/b/c', 'a/labels/b/c']);
    expect(refsOfLabel('c.txt')).toEqual(['c']);
  });
});
