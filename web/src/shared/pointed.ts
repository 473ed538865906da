/** Left, top, right, bottom in pixels of the picture. */
export type Edges = readonly [left: number, top: number, right: number, bottom: number];

/**
 * Which of the things in a picture somebody points at: of those below the point the smallest, so that what lies within another
 * can be reached.
 * @param share of the picture's width and height, from 0 to 1 @returns its place; null: none
 */
export function pointedAt(
  boxes: readonly Edges[],
  share: { readonly x: number; readonly y: number },
  size: { readonly width: number; readonly height: number },
): number | null {
  const [x, y] = [share.x * size.width, share.y * size.height];
  let found: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, [left, top, right, bottom]] of boxes.entries()) {
    const area = (right - left) * (bottom - top);
    if (x < left || x > right || y < top || y > bottom || area >= least) continue;
    found = at;
    least = area;
  }
  return found;
}

interface Pointing {
  readonly clientX: number;
  readonly clientY: number;
  readonly currentTarget: Element;
}

/** Where in an element the pointer is, in shares of its width and height. */
export function shareOf({ clientX, clientY, currentTarget }: Pointing): { x: number; y: number } {
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  return { x: (clientX - left) / width, y: (clientY - top) / height };
}
