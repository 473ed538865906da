/** How a line is drawn: a colour for each ground, and dashes where the colours come round again. */
export interface LineLook {
  readonly light: string;
  readonly dark: string;
  readonly dash: readonly number[];
}

/** The order of Okabe and Ito, darker on white and lighter on black so that each has a contrast of 3:1 to its ground. */
const COLOURS: ReadonlyArray<readonly [light: string, dark: string]> = [
  ['#0072b2', '#4aa8e0'],
  ['#d55e00', '#f08a3c'],
  ['#008a63', '#1fbf92'],
  ['#b0588c', '#dd8fbb'],
  ['#a86f00', '#e69f00'],
  ['#2a86bf', '#86cdf5'],
  ['#857a00', '#f0e442'],
  ['#3c4350', '#cdd3dc'],
];
const DASHES: ReadonlyArray<readonly number[]> = [
  [],
  [6, 4],
  [2, 3],
  [10, 3, 2, 3],
  [14, 4],
  [10, 3, 2, 3, 2, 3],
];

/** Looks that people can distinguish. */
export const LOOKS = COLOURS.length * DASHES.length;

/** The look in a place of the order; the first eight are solid. */
export function lineLook(place: number): LineLook {
  const at = place % LOOKS;
  const [light, dark] = COLOURS[at % COLOURS.length] ?? ['#000000', '#ffffff'];
  return { light, dark, dash: DASHES[Math.floor(at / COLOURS.length)] ?? [] };
}

/** The solid line of a run, in the colour that its id gives it on every page. */
export const runLook = (id: string): LineLook => lineLook(favourite(id));

/** A curve of a run that has several: all have its colour, and the dashes say which. @param place from 0, which is solid */
export const partLook = (id: string, place: number): LineLook =>
  lineLook(favourite(id) + COLOURS.length * (place % DASHES.length));

/**
 * Looks of runs that are drawn together. Each keeps its own colour; of several with the same one the later are dashed.
 * @param ids of what is drawn together, in an order that stays
 */
export function looksOf(ids: readonly string[]): ReadonlyMap<string, LineLook> {
  const taken = new Set<number>();
  const looks = new Map<string, LineLook>();
  for (const id of ids) {
    if (looks.has(id)) continue;
    const place = freePlace(favourite(id), taken);
    taken.add(place);
    looks.set(id, lineLook(place));
  }
  return looks;
}

/** Another colour only where all dashes of its own are taken. */
function freePlace(wish: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < COLOURS.length; step++)
    for (let round = 0; round < DASHES.length; round++) {
      const place = round * COLOURS.length + ((wish + step) % COLOURS.length);
      if (!taken.has(place)) return place;
    }
  return wish;
}

function favourite(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % COLOURS.length;
}
