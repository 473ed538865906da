import { type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { boundedCell, type CellCounter } from './cell.js';
import { type TextType, typedValue, typeOfTexts, uniqueNames } from './column-types.js';
import { guessDelimiter, readDelimited, statedDelimiter } from './delimited.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from './sample-limits.js';
import { isCounted, mostRows, type TextHead, type TextTable, tooLong, unreadableStart } from './text-head.js';

const GUESS_CHARS = 65_536;
/** Maximum length of a record that the end of the head cuts off within quotes and that still counts as sound. */
const OPEN_QUOTE_CHARS = 1024 * 1024;
type Delimited = ReturnType<typeof readDelimited>;

/** Delimited text whose first record names the columns. @param delimiter null: stated by the text or guessed. @param limit rows of the sample */
export const delimitedTable = (delimiter: string | null, limit: number): TextTable<Delimited> => ({
  parse: (head) => {
    const stated = delimiter === null ? statedDelimiter(head.text) : null;
    return readDelimited(
      head.text,
      delimiter ?? stated?.delimiter ?? guessed(head),
      // One more than asked for, to know whether the file goes on.
      { records: mostRows(head, limit + 2), fields: MAX_COLUMNS + 1 },
      head.isWhole,
      stated?.start,
    );
  },
  isEnough: ({ records }) => records.length >= limit + 2,
  sample: (found, head) => sampleOf(found, head, limit),
});

const guessed = ({ text, isWhole }: TextHead): string =>
  guessDelimiter(text.slice(0, GUESS_CHARS), isWhole && text.length <= GUESS_CHARS);

function sampleOf(found: Delimited, head: TextHead, limit: number): TableSample {
  const { openQuote: openAt } = found;
  const isOpen = openAt !== undefined && (head.isWhole || head.text.length - openAt > OPEN_QUOTE_CHARS);
  const openQuote = isOpen
    ? `the quote that opens in the record at line ${lineAt(head.text, openAt)} is not closed`
    : null;
  if (openQuote !== null && head.isWhole) throw new UnreadableTable(openQuote);
  const [header, ...records] = found.records;
  if (!header) throw unreadableStart(head);
  const names = uniqueNames(header.slice(0, MAX_COLUMNS));
  const rows = records.slice(0, limit);
  const types = names.map((_, at) => typeOfTexts(rows.map((row) => row[at] ?? '')));
  const counter: CellCounter = { cut: 0 };
  const cells = rows.map((row) =>
    names.map((_, at) => boundedCell(typedValue(row[at] ?? '', types[at]?.dtype as TextType), counter)),
  );
  const ragged = rows.filter((row) => row.length !== header.length).length;
  const uneven = records.flatMap((row, at) => (row.length === header.length ? [] : [at + 1]));
  const notes = [...head.notes];
  if (header.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  if (!head.isWhole && rows.length < limit) notes.push(tooLong);
  if (ragged > 0) notes.push(`${ragged} of the rows shown have another number of fields than the header.`);
  return {
    columns: names.map((name, at) => ({ name, ...(types[at] as { dtype: string; nullable: boolean }) })),
    ...withinBudget(cells, [...notes, ...cellNotes(counter)]),
    totalRows: isCounted(head) || (head.isWhole && records.length <= limit) ? records.length : null,
    broken:
      openQuote ??
      (uneven.length > 0
        ? `${uneven.length} ${uneven.length === 1 ? 'row has' : 'rows have'} another number of fields than the header, the first is row ${uneven[0]}`
        : null),
  };
}

/** The line in which the place stands, from 1. */
const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;
