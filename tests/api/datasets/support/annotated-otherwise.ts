import sharp from 'sharp';
import { json, picture, text } from './annotated-dataset.js';

export type Files = Readonly<Record<string, Buffer>>;

interface Case {
  readonly name: string;
  readonly make: () => Promise<Files>;
  /** Class and corners of each object by image: what may be learned. */
  readonly objects: Readonly<Record<string, readonly unknown[]>>;
  readonly outlines?: readonly unknown[];
}

const jpeg = async (seed: number): Promise<Buffer> =>
  sharp(await picture(seed))
    .jpeg()
    .toBuffer();
const LINE = '0 0.5 0.5 0.2 0.2';
const PART = [0.4, 0.4, 0.6, 0.6];
const voc = (head: string, name: string) =>
  `${head}<annotation><filename>1.jpg</filename><object><name>${name}</name><part><name>leg</name></part><bndbox><xmin>11</xmin><ymin>21</ymin><xmax>30</xmax><ymax>40</ymax></bndbox></object></annotation>`;
const BOX = { category_id: 7, bbox: [10, 20, 30, 40] };
const coco = (names: readonly object[], annotations: readonly object[], name = 'person ') =>
  json({ images: names, annotations, categories: [{ id: 7, name }] });
const utf16 = (value: string) => Buffer.from(`\ufeff${value}`, 'utf16le');

/** Datasets whose annotations are found, named or written otherwise than most. */
export const ANNOTATED_OTHERWISE: readonly Case[] = [
  {
    name: 'YOLO labels that lie elsewhere, in UTF-16, with names of Darknet',
    make: async () => ({
      'photos/x.jpg': await jpeg(1),
      'labels/x.txt': utf16(`${LINE}\r\n1 0.5 0.5 0.2 0.2\r\n`),
      'train/images/y.jpg': await jpeg(2),
      'train/labels/y.txt': text(`${LINE}\n7 0.5 0.5 0.2 0.2\n`),
      'labels/lonely.txt': text(LINE),
      'Case.jpg': await jpeg(3),
      'case.txt': text(LINE),
      '_darknet.labels': text('cat\ndog\n'),
    }),
    objects: {
      'photos/x.jpg': [
        ['cat', ...PART],
        ['dog', ...PART],
      ],
      'train/images/y.jpg': [['cat', ...PART]],
    },
  },
  {
    name: 'YOLO names that YAML 1.1 takes for truth values, of which the file at the top counts',
    make: async () => ({
      'data.yaml': text('names: [off, "on "]\n'),
      'old/deep/data.yaml': text('names: [on, off, x]\nkpt_shape: [1, 3]\n'),
      'images/val_12.png': await picture(4),
      'labels/val_12.txt': text(`${LINE}\n1.0 0.5 0.5 0.2 0.2\n`),
    }),
    objects: {
      'images/val_12.png': [
        ['off', ...PART],
        ['on ', ...PART],
      ],
    },
  },
  {
    name: 'YOLO names in Windows-1252',
    make: async () => ({
      'images/a.png': await picture(5),
      'labels/a.txt': text(LINE),
      'classes.txt': Buffer.from('M\u00f6bel \u0080\n', 'latin1'),
    }),
    objects: { 'images/a.png': [['Möbel €', ...PART]] },
  },
  {
    name: 'Pascal VOC of the same name in two folders, in ISO-8859-1',
    make: async () => ({
      's1/JPEGImages/1.jpg': await jpeg(6),
      's2/JPEGImages/1.jpg': await jpeg(7),
      's1/Annotations/1.xml': Buffer.from(
        voc('<?xml version="1.0" encoding="ISO-8859-1"?>\n', 'M\u00f6bel'),
        'latin1',
      ),
      's2/Annotations/1.xml': text(voc('<!-- by a tool --><?xml version="1.0"?>', 'Möbel')),
    }),
    objects: {
      's1/JPEGImages/1.jpg': [['Möbel', 10, 20, 30, 40]],
      's2/JPEGImages/1.jpg': [['Möbel', 10, 20, 30, 40]],
    },
  },
  {
    name: 'COCO of the same name in two folders, with letters of another case, masks and segments without boxes',
    make: async () => ({
      'a/data/1.jpg': await jpeg(8),
      'b/data/1.jpg': await jpeg(9),
      'extra/val_12.jpg': await jpeg(10),
      'IMG.JPG': await jpeg(11),
      'a/labels.json': coco([{ id: 1, file_name: '1.jpg' }], [{ ...BOX, image_id: 1 }]),
      'b/labels.json': coco(
        [
          { id: 1, file_name: 'img.jpg' },
          { id: 2, file_name: '1.jpg' },
          { id: 3, file_name: 'val_12.jpg', width: 200, height: 100 },
        ],
        [
          { ...BOX, image_id: 1 },
          { ...BOX, image_id: 2, category_id: 8 },
          {
            image_id: 3,
            category_id: 7,
            segmentation: { size: [100, 200], counts: [110, 5, 95, 5, 19785] },
          },
          { image_id: 2, category_id: 7, segmentation: [1, 2, 11, 2, 11, 22] },
          { image_id: 2, segments_info: [{ category_id: 7, bbox: [1, 1, 4, 4] }] },
        ],
      ),
    }),
    objects: {
      'a/data/1.jpg': [['person ', 10, 20, 40, 60]],
      'b/data/1.jpg': [
        ['person ', 1, 2, 11, 22],
        ['person ', 1, 1, 5, 5],
      ],
      'extra/val_12.jpg': [['person ', 1, 10, 3, 15]],
    },
  },
  {
    name: 'COCO of a photograph on its side, in stored and in upright pixels',
    make: async () => {
      const lying = await sharp(await jpeg(12))
        .withMetadata({ orientation: 6 })
        .toBuffer();
      const stored = [{ id: 1, file_name: 'a.jpg', width: 200, height: 100 }];
      const upright = [{ id: 1, file_name: 'b.jpg', width: 100, height: 200 }];
      const mask = { size: [100, 200], counts: [1020, 40, 18940] };
      return {
        'a.jpg': lying,
        'b.jpg': await sharp(await jpeg(13))
          .withMetadata({ orientation: 6 })
          .toBuffer(),
        'a.json': coco(stored, [{ ...BOX, image_id: 1, segmentation: mask }]),
        'b.json': coco(upright, [{ ...BOX, image_id: 1 }]),
      };
    },
    // Turned to the right, so what is left above is right above.
    objects: { 'a.jpg': [['person ', 40, 10, 80, 40]], 'b.jpg': [['person ', 10, 20, 40, 60]] },
    outlines: [
      { size: [200, 100], counts: [8010, 1, ...Array.from({ length: 39 }, () => [199, 1]).flat(), 4189] },
    ],
  },
];
