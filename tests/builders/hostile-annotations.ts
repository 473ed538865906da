export interface HostileAnnotation {
  /** Path of the file in its dataset. */
  readonly path: string;
  readonly bytes: Buffer;
  /** Why it is invalid; null where it is read without harm. */
  readonly refused: RegExp | null;
}

const yaml = (name: string, text: string, refused: RegExp | null): HostileAnnotation => ({
  path: `yaml/${name}.yaml`,
  bytes: Buffer.from(text),
  refused,
});
const voc = (name: string, inside: string, refused: RegExp | null, head = ''): HostileAnnotation => ({
  path: `voc/${name}.xml`,
  bytes: Buffer.from(`${head}<annotation>${inside}</annotation>`),
  refused,
});
const coco = (name: string, text: string | Buffer, refused: RegExp | null): HostileAnnotation => ({
  path: `coco/${name}.json`,
  bytes: Buffer.from(text),
  refused,
});
const labels = (name: string, text: string | Buffer, refused: RegExp | null): HostileAnnotation => ({
  path: `labels/${name}.txt`,
  bytes: Buffer.from(text),
  refused,
});

const anchors = (levels: number) =>
  Array.from(
    { length: levels },
    (_, n) => `a${n}: &a${n} [${n === 0 ? '"lol","lol"' : `*a${n - 1},*a${n - 1},*a${n - 1},*a${n - 1}`}]`,
  ).join('\n');
const merges = (count: number) =>
  `base: &m {x: 1}\nnames: [a]\n${Array.from({ length: count }, (_, n) => `k${n}: {<<: [*m, *m, *m, *m]}`).join('\n')}`;
const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n} "${`&lol${n === 0 ? '' : n - 1};`.repeat(10)}">`).join('')}]>`;
const one = (annotation: string) =>
  `{"images":[{"id":1,"file_name":"a.png"}],"categories":[{"id":1,"name":"a"}],"annotations":[${annotation}]}`;

/** Annotation files made to hurt: expansion, depth, size, types, encodings. */
export const HOSTILE_ANNOTATIONS: readonly HostileAnnotation[] = [
  yaml('aliases-of-aliases', `${anchors(12)}\nnames: *a11`, /aliases/),
  yaml('one-alias', 'a: &a x\nnames: [*a]', /aliases/),
  yaml('quadratic-merge', merges(1000), /aliases/),
  yaml('merge-of-itself', 'names: &n {<<: *n}', /aliases|cannot be read/),
  yaml('prototype', 'names: {__proto__: x}', /class number/),
  yaml(
    'prototype-of-the-root',
    'names: [a]\n__proto__: {admin: true}\nconstructor: {prototype: {admin: true}}',
    null,
  ),
  yaml('65-kib', `names: [${'a,'.repeat(33_000)}a]`, /larger/),
  yaml('21-levels', `names: ${'['.repeat(21)}${']'.repeat(21)}`, /nested deeper/),
  yaml('30000-levels', `names: ${'['.repeat(30_000)}`, /nested deeper|cannot be read/),
  yaml(
    '30000-indents',
    `names:\n${Array.from({ length: 340 }, (_, n) => `${' '.repeat(n)}- `).join('\n')}a`,
    /nested deeper|cannot be read/,
  ),
  yaml('function', 'names: !!js/function "function () { return 1 }"', /cannot be read/),
  yaml('python-object', 'names: !!python/object/apply:os.system ["id"]', /cannot be read/),
  yaml('own-tag', 'names: !evil [a]', /cannot be read/),
  yaml('binary', 'names: !!binary "AAAA"', null),
  yaml('many-documents', `names: [a]\n${'---\nnames: [b]\n'.repeat(2000)}`, /cannot be read/),
  yaml('10001-classes', `names: [${'a,'.repeat(10_001)}a]`, /more than 10000/),
  yaml('no-yaml', 'names: [a\n b: {', /cannot be read/),
  yaml('not-utf8', 'names: [\u0000]', null),
  yaml('keys-that-are-lists', 'names: {[a, b]: c, {d: e}: f}', /class number|cannot be read/),
  yaml('huge-number', `names: [a]\nnc: ${'9'.repeat(5000)}`, /nc/),
  yaml('long-text', `names: ["${'a'.repeat(60_000)}"]`, null),
  voc('billion-laughs', '<filename>&lol8;</filename>', /document type/, laughs),
  voc(
    'external-entity',
    '<filename>&x;</filename>',
    /document type/,
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
  ),
  voc('external-types', '', /document type/, '<!DOCTYPE annotation SYSTEM "http://127.0.0.1:1/x.dtd">'),
  voc('unknown-entity', '<filename>&x;</filename>', /entity/),
  voc('entity-every-object-has', '<filename>&valueOf;</filename>', /entity/),
  voc('ampersands', '&'.repeat(4_000_000), /entity/),
  voc('deep', '<a>'.repeat(100_000), /nested deeper/),
  voc('200001-elements', '<a/>'.repeat(200_001), /more than 200000/),
  voc('open', '<object>', /not open|closed/),
  voc('endless-attribute', `<a b="${'x'.repeat(3_000_000)}`, /well-formed/),
  voc('5-mib', 'x'.repeat(5 * 2 ** 20), /4194304/),
  voc(
    'numbers-that-are-none',
    '<object><name>a</name><bndbox><xmin>1e999</xmin><ymin>0x1</ymin><xmax>NaN</xmax><ymax/></bndbox></object>',
    /no box/,
  ),
  voc('include', '<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>', null),
  coco('deep', `{"annotations":[],"images":[${'['.repeat(100_000)}`, /nested deeper/),
  coco('deep-elsewhere', `{"annotations":[],"info":${'{"a":'.repeat(50_000)}`, /nested deeper/),
  coco(
    'element-of-9-mib',
    `{"images":[{"id":1,"file_name":"${'a'.repeat(9 * 2 ** 20)}"}],"annotations":[]}`,
    /larger than 8388608/,
  ),
  coco(
    'element-of-2700000-objects',
    one(`{"image_id":1,"x":[${'{},'.repeat(2_700_000)}1]}`),
    /100000 lists and objects/,
  ),
  coco('cut', one('{"image_id":1').slice(0, -2), /not valid JSON/),
  coco(
    'not-utf8',
    Buffer.concat([
      Buffer.from('{"images":[{"id":1,"file_name":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}],"annotations":[]}'),
    ]),
    /not UTF-8/,
  ),
  coco(
    'prototype',
    '{"__proto__":{"admin":true},"images":[{"__proto__":{"id":1},"file_name":"a"}],"annotations":[]}',
    /no id/,
  ),
  coco('images-is-no-list', '{"images":{"a":1},"annotations":[],"categories":[]}', null),
  coco(
    'many-lists',
    `{"annotations":[],${Array.from({ length: 2000 }, (_, n) => `"k${n}":[]`).join(',')}}`,
    /1000 lists/,
  ),
  coco('huge-class', one('{"image_id":1,"category_id":1e308,"bbox":[0,0,1,1]}'), /category_id/),
  coco('endless-box', one('{"image_id":1,"category_id":1,"bbox":[0,0,1e999,1]}'), /bbox/),
  coco(
    'mask-of-a-petapixel',
    one('{"image_id":1,"category_id":1,"bbox":[0,0,1,1],"segmentation":{"size":[1e9,1e9],"counts":"0"}}'),
    /mask without size/,
  ),
  coco(
    'runs-below-zero',
    one('{"image_id":1,"category_id":1,"bbox":[0,0,1,1],"segmentation":{"size":[9,9],"counts":[-5,1e15]}}'),
    /run lengths/,
  ),
  coco(
    'polygon-of-100000-points',
    one(`{"image_id":1,"category_id":1,"segmentation":[[${'1,2,'.repeat(99_999)}1,2]]}`),
    null,
  ),
  coco('same-ids', '{"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}],"annotations":[]}', /id 1/),
  labels('not-finite', '0 nan inf 1 1', /not a finite number/),
  labels('below-zero', '-1 0.5 0.5 1 1', /class number/),
  labels('huge-class', '999999999 0.5 0.5 1 1', /class number/),
  labels('a-million-numbers', `0 ${'0.5 '.repeat(1_000_000)}`, /line 1 of its labels is longer than 262144/),
  labels('50000-boxes', '0 0.5 0.5 1 1\n'.repeat(50_000), null),
  labels('50001-boxes', '0 0.5 0.5 1 1\n'.repeat(50_001), /more than 50000 objects/),
  labels('not-utf8', Buffer.from([0x30, 0x20, 0xff, 0xfe, 0x0a]), /not a finite number/),
  labels('5-mib', '0 0.5 0.5 1 1\n'.repeat(400_000), /4194304/),
  labels('200000-digits', `0 ${'1'.repeat(200_000)}x 0.5 1 1`, /not a finite number/),
  {
    path: 'flat/digits.txt',
    bytes: Buffer.from(`0 0.5 0.5 1 1\n0 ${'1'.repeat(60_000)}x`),
    refused: /line 2 of its labels holds something that is not a finite number/,
  },
  { path: 'flat/comments.txt', bytes: Buffer.from('<!---->'.repeat(9000)), refused: null },
  {
    path: 'voc/comments.xml',
    bytes: Buffer.from(
      `<?xml version="1.0"?>${'<!-- by a tool -->\n'.repeat(3000)}<annotation>&x;</annotation>`,
    ),
    refused: /entity/,
  },
  { path: 'flat/numbers.csv', bytes: Buffer.from(`a,b\n${'1'.repeat(60_000)}x,2\n`), refused: null },
  labels('words', 'cat dog bird fish\n', /class number/),
];
