/** A COCO mask: runs of pixels column by column, in turns those that are not set and those that are. */
export interface RunMask {
  readonly width: number;
  readonly height: number;
  readonly runs: readonly number[];
}

/**
 * Run lengths of a COCO mask, counted or compressed. The compressed form is that of COCO's mask API: groups of five bits,
 * lowest first, as characters from `0` on; bit 32 says that the number goes on, bit 16 of its last group that it is negative.
 * From the fourth on, a number is the difference to the run but one before.
 * @returns null where they are none
 */
export function runMask(size: unknown, counts: unknown): RunMask | null {
  if (!Array.isArray(size) || size.length !== 2) return null;
  const [height, width] = size as unknown[];
  if (typeof height !== 'number' || typeof width !== 'number') return null;
  const runs = typeof counts === 'string' ? unpacked(counts) : counts;
  if (!Array.isArray(runs) || !runs.every((run) => typeof run === 'number' && run >= 0)) return null;
  const total = (runs as number[]).reduce((sum, run) => sum + run, 0);
  return total === width * height ? { width, height, runs: runs as number[] } : null;
}

function unpacked(text: string): number[] | null {
  const runs: number[] = [];
  for (let at = 0; at < text.length; ) {
    let [value, weight, group] = [0, 1, 32];
    while ((group & 32) > 0) {
      group = text.charCodeAt(at++) - 48;
      if (!(group >= 0 && group < 64) || weight > 32 ** 6) return null;
      value += (group & 31) * weight;
      weight *= 32;
    }
    if ((group & 16) > 0) value -= weight;
    runs.push(runs.length > 2 ? value + (runs.at(-2) as number) : value);
  }
  return runs;
}

/** The pixels that are set, as one path of an SVG: a strip for each run within a column, equal ones of neighbours joined. */
export function maskPath({ height, runs }: RunMask): string {
  const open = new Map<string, { left: number; right: number; top: number; bottom: number }>();
  const done: string[] = [];
  const close = (column: number) => {
    for (const [key, strip] of open)
      if (strip.right < column) {
        done.push(rectangle(strip));
        open.delete(key);
      }
  };
  for (const { column, top, bottom } of strips(runs, height)) {
    close(column);
    const key = `${top} ${bottom}`;
    const strip = open.get(key);
    if (strip && strip.right === column) strip.right = column + 1;
    else open.set(key, { left: column, right: column + 1, top, bottom });
  }
  close(Number.POSITIVE_INFINITY);
  return done.join('');
}

const rectangle = ({
  left,
  right,
  top,
  bottom,
}: {
  left: number;
  right: number;
  top: number;
  bottom: number;
}) => `M${left} ${top}H${right}V${bottom}H${left}Z`;

function* strips(runs: readonly number[], height: number) {
  let at = 0;
  for (const [nth, run] of runs.entries()) {
    const end = at + run;
    if (nth % 2 === 1)
      for (let from = at; from < end; ) {
        const column = Math.floor(from / height);
        const until = Math.min(end, (column + 1) * height);
        yield { column, top: from - column * height, bottom: until - column * height };
        from = until;
      }
    at = end;
  }
}
