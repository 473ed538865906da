import { describe, expect, it } from '@jest/globals';
import { readAnnotation } from '../../../activities/datasets/annotation-reader.js';
import { recognizeFile } from '../../../formats/files/file-type.js';
import { decodeText } from '../../../formats/files/text-encoding.js';

const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le');
const utf16be = (text: string): Buffer => utf16(text).swap16();
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const voc = (declaration: string, name = 'Bürste'): string =>
  `${declaration}<annotation><object><name>${name}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>`;
const coco =
  '{"images":[{"id":1,"file_name":"ä.png"}],"annotations":[],"categories":[{"id":1,"name":"Bürste"}]}';

/** As a file is recognised and read. */
function read(path: string, bytes: Buffer) {
  const type = recognizeFile(bytes, path);
  const reading = type.kind === 'annotation' ? readAnnotation(type, path, bytes) : null;
  return {
    kind: type.kind,
    problem: reading?.problem ?? null,
    names: reading?.facts?.classes.map(({ name }) => name),
    objects: reading?.facts?.objectCount,
  };
}

describe('annotations in other encodings than UTF-8', () => {
  it.each([
    ['ISO-8859-1', latin1(voc('<?xml version="1.0" encoding="ISO-8859-1"?>'))],
    ['windows-1252', latin1(voc("<?xml version='1.0' encoding = 'windows-1252' ?>\n"))],
    ['UTF-16', utf16(voc('<?xml version="1.0" encoding="UTF-16"?>'))],
    ['UTF-16 of big endian', utf16be(voc(''))],
    ['UTF-8 that declares UTF-16', Buffer.from(voc('<?xml version="1.0" encoding="utf-16"?>'))],
    ['UTF-8', Buffer.from(voc('<?xml version="1.0" encoding="UTF-8"?>'))],
    [
      'an encoding that nobody knows, without need',
      Buffer.from(voc('<?xml version="1.0" encoding="x-none"?>')),
    ],
  ])('Pascal VOC is read in %s', (_, bytes) => {
    expect(read('a.xml', bytes)).toEqual({
      kind: 'annotation',
      problem: null,
      names: ['Bürste'],
      objects: 1,
    });
  });

  it('Pascal VOC is read in GBK', () => {
    const bytes = Buffer.concat([
      latin1(voc('<?xml version="1.0" encoding="gb2312"?>', '').split('</name>')[0] as string),
      Buffer.from([0xc2, 0xdd, 0xcb, 0xa8]),
      latin1('</name>' + voc('').split('</name>')[1]),
    ]);
    expect(read('a.xml', bytes).names).toEqual(['螺栓']);
  });

  it.each([
    ['without a declaration', ''],
    ['that declares UTF-8', '<?xml version="1.0" encoding="UTF-8"?>'],
  ])('Pascal VOC of single bytes %s is refused for that reason', (_, declaration) => {
    const problem =
      'its text is not in the encoding that its XML declares (UTF-8 where it declares none); store it as UTF-8';
    expect(read('a.xml', latin1(voc(declaration)))).toMatchObject({ kind: 'annotation', problem });
  });

  it.each([
    ['a list of names of single bytes', 'classes.txt', latin1('Bürste\nSäge\n'), ['Bürste', 'Säge']],
    ['a list of names in UTF-16', 'obj.names', utf16('Bürste\r\nSäge'), ['Bürste', 'Säge']],
    ['a configuration of single bytes', 'data.yaml', latin1('names: [Bürste, Säge]'), ['Bürste', 'Säge']],
    ['a configuration in UTF-16', 'data.yaml', utf16be('names: [Bürste, Säge]'), ['Bürste', 'Säge']],
  ])('%s names its classes', (_, path, bytes, names) => {
    expect(read(path, bytes)).toMatchObject({ kind: 'annotation', problem: null, names });
  });

  it('labels in UTF-16 are read, in a folder of labels and beside images', () => {
    for (const path of ['labels/a.txt', 'a.txt'])
      expect(read(path, utf16('0 0.5 0.5 0.1 0.1\r\n'))).toMatchObject({
        kind: 'annotation',
        problem: null,
        objects: 1,
      });
  });

  it('text whose encoding is a guess says so', () => {
    const type = { mediaType: 'text/plain', kind: 'annotation' } as const;
    expect(readAnnotation(type, 'classes.txt', latin1('Säge'))).toMatchObject({
      note: 'its text is not UTF-8; it is read as windows-1252',
    });
    expect(readAnnotation(type, 'classes.txt', Buffer.from('Säge'))).not.toHaveProperty('note');
  });

  it.each([
    ['UTF-16', utf16(coco)],
    ['single bytes', latin1(coco)],
  ])('COCO in %s is refused for that reason, as JSON is UTF-8', (_, bytes) => {
    expect(read('a.json', bytes)).toMatchObject({
      kind: 'annotation',
      problem: 'its text is not UTF-8; store it as UTF-8',
    });
  });

  it('bytes that are no text stay what they are', () => {
    for (const path of ['a.xml', 'labels/a.txt', 'classes.txt', 'a.json'])
      expect(recognizeFile(Buffer.from([0xe9, 0, 1, 2]), path).mediaType).toBe('application/octet-stream');
    expect(decodeText(Buffer.from([0xe9, 7]), false)).toBeNull();
  });

  it('markup is recognised by its bytes whatever it declares and is called', () => {
    const declaration = '<?xml version="1.0" encoding="ISO-8859-1"?>';
    expect(recognizeFile(latin1(`${declaration}<svg>`), 'x.png').mediaType).toBe('image/svg+xml');
    expect(recognizeFile(latin1(voc(declaration)), 'x').kind).toBe('annotation');
  });
});
