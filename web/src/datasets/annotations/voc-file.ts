import { type Drawing, type Drawn, plainObject } from './drawn.types';

/** Objects of a Pascal VOC file. Its few tags are read by themselves: a document would need a parser for each picture. */
export function drawVoc(xml: string): Drawing {
  const objects = [...xml.matchAll(/<object>([\s\S]*?)<\/object>/g)].flatMap(([, inside = '']): Drawn[] => {
    const bounds = /<bndbox>([\s\S]*?)<\/bndbox>/.exec(inside)?.[1] ?? '';
    const sides = ['xmin', 'ymin', 'xmax', 'ymax'].map((side) => Number(textOf(bounds, side)));
    if (!sides.every(Number.isFinite)) return [];
    const name = textOf(inside, 'name');
    return [plainObject(name === '' ? null : name, sides as unknown as [number, number, number, number])];
  });
  const size = /<size>([\s\S]*?)<\/size>/.exec(xml)?.[1] ?? '';
  const side = (name: string) => Number(textOf(size, name)) || null;
  return { objects, width: side('width'), height: side('height'), isWhole: !xml.includes('<polygon>') };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const textOf = (xml: string, tag: string): string =>
  (new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1] ?? '')
    .trim()
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');

/** Where the file of a picture may lie: `JPEGImages` or `images` replaced by `Annotations`, or beside it. */
export function vocPaths(imagePath: string): string[] {
  const parts = imagePath.replace(/\.[^./]+$/, '').split('/');
  const at = parts.findLastIndex(
    (part, index) => index < parts.length - 1 && /^(JPEGImages|images)$/i.test(part),
  );
  const moved =
    at < 0
      ? []
      : ['Annotations', 'annotations'].map((folder) =>
          [...parts.slice(0, at), folder, ...parts.slice(at + 1)].join('/'),
        );
  return [...moved, parts.join('/')].map((path) => `${path}.xml`);
}
