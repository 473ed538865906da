import { NO_OUTLINE, type Outline } from './drawn.types';

/** Outlines of the objects of a Pascal VOC file, in its order. */
export function vocOutlines(text: string): Outline[] {
  const root = new DOMParser().parseFromString(text, 'text/xml').documentElement;
  return childrenOf(root, 'object').map((object) => {
    const [polygon] = childrenOf(object, 'polygon');
    const corners = polygon === undefined ? [] : cornersOf(polygon);
    return corners.length < 6 ? NO_OUTLINE : { ...NO_OUTLINE, polygons: [corners] };
  });
}

/** `<x1>1</x1><y1>2</y1><x2>...`, or `<pt><x>1</x><y>2</y></pt>...`. @returns x, y, x, y, ...; empty for anything else */
function cornersOf(polygon: Element): number[] {
  const points = childrenOf(polygon, 'pt');
  const pairs =
    points.length > 0
      ? points.map((point) => [numberIn(point, 'x'), numberIn(point, 'y')])
      : childrenOf(polygon, /^x\d+$/).map(({ tagName }) => [
          numberIn(polygon, tagName),
          numberIn(polygon, tagName.replace('x', 'y')),
        ]);
  const corners = pairs.flat();
  return corners.every(Number.isFinite) ? corners : [];
}

const childrenOf = (element: Element, name: string | RegExp): Element[] =>
  [...element.children].filter(({ tagName }) =>
    typeof name === 'string' ? tagName === name : name.test(tagName),
  );

const numberIn = (element: Element, name: string): number => {
  const text = childrenOf(element, name)[0]?.textContent?.trim() ?? '';
  return text === '' ? Number.NaN : Number(text);
};
