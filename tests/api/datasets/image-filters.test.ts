import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, picture, settleAnnotated, text } from './support/annotated-dataset.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const BOX = '<bndbox><xmin>10</xmin><ymin>10</ymin><xmax>90</xmax><ymax>90</ymax></bndbox>';
const voc = (...names: string[]): Buffer =>
  text(
    `<annotation>${names.map((name) => `<object><name>${name}</name>${BOX}</object>`).join('')}</annotation>`,
  );
const coco = (...names: ReadonlyArray<readonly [file: string, ...classes: number[]]>): Buffer =>
  json({
    images: names.map(([file_name], id) => ({ id, file_name })),
    annotations: names
      .flatMap(([, ...classes], image_id) => classes.map((category_id) => ({ image_id, category_id })))
      .map((object, id) => ({ ...object, id, bbox: [1 + id, 1, 50, 50] })),
    categories: ['cat', 'dog'].map((name, id) => ({ id, name })),
  });

describe('pictures of a class, a part or a finding', () => {
  let lab: WorkingKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
  });
  afterAll(() => lab?.close());

  const listed = async (id: string, query: string) => {
    const { status, body } = await lab.kit.call('GET', `/${id}/files?kind=image&${query}`);
    expect({ query, status }).toEqual({ query, status: 200 });
    const paths = body.items.map(({ path }: { path: string }) => path) as string[];
    expect(body.total).toBe(paths.length);
    return paths;
  };
  const [a, b, c] = ['images/train/a.png', 'images/train/b.png', 'images/val/c.png'];
  const pictures = async () => ({ [a]: await picture(1), [b]: await picture(2), [c]: await picture(3) });

  it.each([
    [
      'yolo',
      {
        'data.yaml': text('path: .\ntrain: images/train\nval: images/val\nnames:\n  0: cat\n  1: dog\n'),
        'labels/train/a.txt': text('0 0.5 0.5 0.5 0.5\n1 0.2 0.2 0.1 0.1\n'),
        'labels/val/c.txt': text('1 0.5 0.5 0.5 0.5\n'),
      },
    ],
    ['coco', { 'annotations.json': coco([a, 0, 1], [c, 1]) }],
    ['voc', { 'images/train/a.xml': voc('cat', 'dog'), 'images/val/c.xml': voc('dog') }],
  ])('are found in a dataset of %s', async (format, annotations: Readonly<Record<string, Buffer>>) => {
    const { id, body } = await settleAnnotated(lab, format, { ...(await pictures()), ...annotations });
    expect(body.annotation_format).toBe(format);
    expect(await listed(id, 'class=dog')).toEqual([a, c]);
    expect(await listed(id, 'class=cat')).toEqual([a]);
    expect(await listed(id, 'class=ca')).toEqual([]);
    expect(await listed(id, 'split=val')).toEqual([c]);
    expect(await listed(id, `path=${b}`)).toEqual([b]);
    expect(await listed(id, 'path=images')).toEqual([]);
    expect(await listed(id, 'split=train&class=dog')).toEqual([a]);
    expect(await listed(id, 'q=images&class=dog&split=val')).toEqual([c]);
    expect(await listed(id, 'finding=annotations.images_without_annotation')).toEqual([b]);
  });

  it('are found in folders', async () => {
    const same = await picture(1);
    const files = {
      'train/cat/1.png': same,
      'train/dog/2.png': await picture(2),
      'val/cat/3.png': same,
      'val/dog/4.png': await picture(4),
    };
    const { id } = await settleAnnotated(lab, 'Folders', files);
    expect(await listed(id, 'class=cat')).toEqual(['train/cat/1.png', 'val/cat/3.png']);
    expect(await listed(id, 'class=cat&split=val')).toEqual(['val/cat/3.png']);
    expect(await listed(id, 'finding=duplicates.exact')).toEqual(['train/cat/1.png', 'val/cat/3.png']);
    expect(await listed(id, 'finding=leakage.exact')).toEqual(['val/cat/3.png']);
  });

  it('have classes with accents on letters, however these are composed', async () => {
    const [composed, parted] = ['caf\u00e9', 'cafe\u0301'];
    const folders = { [`${parted}/1.png`]: await picture(1), 'tea/2.png': await picture(2) };
    const byFolder = await settleAnnotated(lab, 'Accents of folders', folders);
    const files = {
      'a.png': await picture(3),
      'a.xml': voc(composed),
      'b.png': await picture(4),
      'b.xml': voc(parted),
    };
    const byFile = await settleAnnotated(lab, 'Accents of files', files);
    for (const name of [composed, parted])
      expect(await listed(byFolder.id, `class=${encodeURIComponent(name)}`)).toEqual([`${composed}/1.png`]);
    expect(await listed(byFile.id, `class=${encodeURIComponent(composed)}`)).toEqual(['a.png']);
    expect(await listed(byFile.id, `class=${encodeURIComponent(parted)}`)).toEqual(['a.png', 'b.png']);
  });

  it('are those of the last validation', async () => {
    const files = {
      ...(await pictures()),
      'data.yaml': text('names: [cat, dog]\n'),
      'labels/train/a.txt': text('0 0.5 0.5 0.5 0.5\n0 0.5 0.5 0.5 0.5\n7 0.95 0.5 0.3 0.3\n0 0.5 0.5 0 0\n'),
      'labels/train/B.txt': text('1 0.5 0.5 0.5 0.5\n'),
    };
    const { id } = await settleAnnotated(lab, 'Changed', files);
    const found = async (...codes: string[]) => {
      const all = codes.map((code) => listed(id, `finding=annotations.${code}`));
      return Object.fromEntries((await Promise.all(all)).map((paths, at) => [codes[at], paths]));
    };
    const OBJECTS = ['repeated_objects', 'class_out_of_range', 'boxes_outside_image', 'boxes_without_area'];
    expect(await found(...OBJECTS, 'case_mismatch')).toEqual({
      ...Object.fromEntries(OBJECTS.map((code) => [code, [a]])),
      case_mismatch: [b],
    });
    const { body } = await lab.kit.call('GET', `/${id}/files?q=labels`);
    for (const { id: fileId } of body.items)
      expect((await lab.kit.call('DELETE', `/${id}/files/${fileId}`)).status).toBe(204);
    await lab.kit.until(
      `/${id}`,
      ({ status, validation }) => status === 'FROZEN' && validation.stats.annotations.objects === 0,
    );
    expect(await found(...OBJECTS, 'case_mismatch')).toEqual(
      Object.fromEntries([...OBJECTS, 'case_mismatch'].map((code) => [code, []])),
    );
    expect(await listed(id, 'class=cat')).toEqual([]);
  });

  it('are not asked for by a finding that names examples alone', async () => {
    const id = await lab.kit.draft('Asked');
    const { status, body } = await lab.kit.call('GET', `/${id}/files?finding=duplicates.near`);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'finding']]);
  });
});
