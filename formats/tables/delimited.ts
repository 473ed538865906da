export interface Records {
  readonly records: string[][];
  /** Where the last record ends; the text behind it is a record that the text does not hold to its end. */
  readonly end: number;
  /** Where the record begins whose quote is open to the end of the text. */
  readonly openQuote?: number;
}

/**
 * The first records of delimited text (RFC 4180, and kind to what is not: a quote inside an unquoted field is a letter,
 * text after a closing quote is kept). Quoted fields may hold delimiters and line ends. Blank lines are no records.
 * Why no library does this: docs/adr/csv.md.
 * @param isWhole false: the text is the head of a longer one, so its last record counts only with its line end
 * @param start where the first record begins
 */
export function readDelimited(
  text: string,
  delimiter: string,
  limits: { records: number; fields: number },
  isWhole: boolean,
  start = 0,
): Records {
  const records: string[][] = [];
  let end = start;
  let at = start;
  let openQuote: number | undefined;
  while (at < text.length && records.length < limits.records) {
    const read = readRecord(text, at, delimiter, limits.fields);
    if (read.isQuoteOpen) openQuote = at;
    if (!read.isClosed && !isWhole) break;
    if (read.fields.length > 1 || read.fields[0] !== '') records.push(read.fields);
    at = read.next;
    end = at;
  }
  return openQuote === undefined ? { records, end } : { records, end, openQuote };
}

interface ReadRecord {
  readonly fields: string[];
  readonly next: number;
  /** True: a line end closed it. */
  readonly isClosed: boolean;
  readonly isQuoteOpen: boolean;
}

/** Fields beyond the limit are passed over. */
function readRecord(text: string, start: number, delimiter: string, maxFields: number): ReadRecord {
  const fields: string[] = [];
  const keep = (field: string) => {
    if (fields.length < maxFields) fields.push(field);
  };
  for (let at = start; ; ) {
    const quoted = text[at] === '"' ? readQuoted(text, at) : { value: '', next: at, isOpen: false };
    const stop = endOfField(text, quoted.next, delimiter);
    keep(quoted.value + text.slice(quoted.next, stop));
    if (stop >= text.length) return { fields, next: stop, isClosed: false, isQuoteOpen: quoted.isOpen };
    if (text[stop] === delimiter) {
      at = stop + 1;
      continue;
    }
    // A line feed that may follow the carriage return has to be seen before the record is known to be whole.
    if (text[stop] === '\r' && stop + 1 >= text.length)
      return { fields, next: stop + 1, isClosed: false, isQuoteOpen: false };
    return {
      fields,
      next: stop + (text[stop] === '\r' && text[stop + 1] === '\n' ? 2 : 1),
      isClosed: true,
      isQuoteOpen: false,
    };
  }
}

function endOfField(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === delimiter || char === '\n' || char === '\r') return at;
  }
  return text.length;
}

function readQuoted(text: string, start: number): { value: string; next: number; isOpen: boolean } {
  let value = '';
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: value + text.slice(from), next: text.length, isOpen: true };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1, isOpen: false };
    value += '"';
    from = quote + 2;
  }
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Excel writes and takes such a line before the header. */
const STATED = /^sep=([^"\r\n])\r?\n/i;

/** The delimiter that a line before the header states, and where the header begins; null where there is no such line. */
export function statedDelimiter(text: string): { readonly delimiter: string; readonly start: number } | null {
  const [line, delimiter] = STATED.exec(text) ?? [];
  return line === undefined || delimiter === undefined ? null : { delimiter, start: line.length };
}

/** The delimiter that parts the first lines into the most fields alike; a comma when none does. @param isWhole see readDelimited */
export function guessDelimiter(head: string, isWhole: boolean): string {
  let best = { delimiter: ',', score: 1 };
  for (const delimiter of DELIMITERS) {
    const { records } = readDelimited(head, delimiter, { records: 10, fields: 1000 }, isWhole);
    const width = records[0]?.length ?? 1;
    const alike = records.filter((record) => record.length === width).length / Math.max(1, records.length);
    const score = width * alike;
    if (width > 1 && score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}
