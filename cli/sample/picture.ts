const CELL = 34;
const LEFT = 92;
const TOP = 64;
const EXAMPLE = 28;

/** What the picture shows: how often each digit was taken for which, and one scan of each. */
export interface PictureInput {
  readonly labels: readonly string[];
  /** Rows are the true labels, columns the predicted ones. */
  readonly counts: ReadonlyArray<readonly number[]>;
  /** A PNG of each label, in the labels' order. */
  readonly examples: readonly Buffer[];
  readonly accuracy: number;
}

/** Pure: the confusion matrix beside example digits, as an SVG that needs nothing else. */
export function renderPicture(input: PictureInput): string {
  const size = input.labels.length * CELL;
  const width = LEFT + size + 24;
  const height = TOP + size + 48;
  const total = input.counts.flat().reduce((sum, count) => sum + count, 0);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Confusion matrix of the sample model" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(
      16,
      26,
      `Accuracy ${(input.accuracy * 100).toFixed(1)} % on ${total} images the model never saw`,
      'font-size="13" font-weight="600"',
    ),
    text(LEFT + size / 2, TOP - 18, 'recognised as', 'text-anchor="middle" fill="#555"'),
    ...input.labels.flatMap((label, row) => rowOf(input, label, row)),
    ...input.labels.map((label, column) =>
      text(LEFT + column * CELL + CELL / 2, TOP - 4, label, 'text-anchor="middle"'),
    ),
    text(LEFT, TOP + size + 28, 'Rows: the digit that was written, with one of its scans.', 'fill="#555"'),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

function rowOf(input: PictureInput, label: string, row: number): string[] {
  const y = TOP + row * CELL;
  const counts = input.counts[row] ?? [];
  const most = Math.max(1, ...counts);
  const example = input.examples[row];
  return [
    ...(example === undefined
      ? []
      : [
          `<image x="44" y="${y + 3}" width="${EXAMPLE}" height="${EXAMPLE}" image-rendering="pixelated" href="data:image/png;base64,${example.toString('base64')}"/>`,
        ]),
    text(28, y + CELL / 2 + 5, label, 'text-anchor="middle"'),
    ...counts.flatMap((count, column) => cell(LEFT + column * CELL, y, count, most, column === row)),
  ];
}

function cell(x: number, y: number, count: number, most: number, isRight: boolean): string[] {
  const share = count / most;
  const fill =
    count === 0
      ? '#f4f4f4'
      : isRight
        ? `rgba(24,111,175,${(0.2 + 0.8 * share).toFixed(2)})`
        : `rgba(196,64,40,${(0.3 + 0.7 * share).toFixed(2)})`;
  const ink = share > 0.5 ? '#fff' : '#222';
  return [
    `<rect x="${x + 1}" y="${y + 1}" width="${CELL - 2}" height="${CELL - 2}" rx="3" fill="${fill}"/>`,
    ...(count === 0
      ? []
      : [text(x + CELL / 2, y + CELL / 2 + 5, String(count), `text-anchor="middle" fill="${ink}"`)]),
  ];
}

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escape(content)}</text>`;

const escape = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
