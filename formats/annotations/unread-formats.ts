/** What the report says of files by the `reason` that their reading left. */
export interface FormatNote {
  readonly reason: string;
  readonly code: string;
  /** Goes after the number of files. */
  readonly words: string;
}

const unread = (name: string): FormatNote => ({
  code: 'unread_annotations',
  reason: `it looks like ${name}, which is not read; convert it to COCO, YOLO or Pascal VOC`,
  words: `files look like ${name}, which is not read; convert them to COCO, YOLO or Pascal VOC`,
});

const key = (name: string): RegExp => new RegExp(`"${name}"\\s*:`);
const all =
  (...names: readonly string[]) =>
  (text: string): boolean =>
    names.map(key).every((one) => one.test(text));

/** Each by keys that its tool writes: the beginning of a file shows one of these sets. */
const FORMATS: ReadonlyArray<{
  readonly note: FormatNote;
  readonly shows: ReadonlyArray<(text: string) => boolean>;
}> = [
  { note: unread('LabelMe'), shows: [all('shapes', 'imagePath'), all('shapes', 'version', 'flags')] },
  {
    note: unread('VIA'),
    shows: [
      all('shape_attributes'),
      all('_via_img_metadata'),
      all('regions', 'file_attributes'),
      all('config', 'loc_prefix'),
    ],
  },
  {
    note: unread('CreateML'),
    shows: [all('coordinates', 'label', 'image'), all('coordinates', 'label', 'imagefilename')],
  },
];

export const PANOPTIC: FormatNote = {
  code: 'panoptic_masks_not_read',
  reason: 'it is COCO panoptic: the boxes of its segments are its objects, the masks are not read',
  words: 'files are COCO panoptic: the boxes of their segments are their objects, the masks are not read',
};
export const PANOPTIC_WITHOUT_BOXES = unread('COCO panoptic without boxes');

/** What has no area; the objects stay, with their boxes. */
export const THIN_POLYGONS: FormatNote = {
  code: 'polygons_left_out',
  reason: 'it has polygons of fewer than three points, which are left out',
  words: 'files have polygons of fewer than three points, which are left out',
};

export const FORMAT_NOTES: readonly FormatNote[] = [
  ...FORMATS.map(({ note }) => note),
  PANOPTIC,
  PANOPTIC_WITHOUT_BOXES,
  THIN_POLYGONS,
];

/** The format of another tool that the beginning of a JSON text shows; null where it shows none. */
export const unreadFormat = (text: string): FormatNote | null =>
  FORMATS.find(({ shows }) => shows.some((isOne) => isOne(text)))?.note ?? null;
