/** An element with its text and children; attributes are read over. */
export interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

export type XmlReading =
  | { readonly root: XmlElement; readonly problem: null }
  | { readonly root: null; readonly problem: string };

const MAX_DEPTH = 20;
const MAX_ELEMENTS = 200_000;
const NAME = /[A-Za-z_][\w.:-]{0,99}/y;
const ATTRIBUTE = /\s{1,1000}[\w.:-]{1,100}\s{0,1000}=\s{0,1000}(?:"[^"<]{0,4096}"|'[^'<]{0,4096}')/y;
const TAG_END = /\s{0,1000}(\/?)>/y;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

class Refusal {
  constructor(readonly problem: string) {}
}

/**
 * Reads XML that is only elements and text. Declarations of types and entities are refused, so nothing can unfold or be
 * fetched; depth and number of elements are bounded.
 */
export function readPlainXml(text: string): XmlReading {
  try {
    return { root: parse(text), problem: null };
  } catch (error) {
    if (error instanceof Refusal) return { root: null, problem: error.problem };
    throw error;
  }
}

function parse(text: string): XmlElement {
  const document: XmlElement = { name: '', children: [], text: '' };
  const open: XmlElement[] = [document];
  let elements = 0;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const parent = open.at(-1) as XmlElement;
    const tag = text.indexOf('<', at);
    addText(parent, text.slice(at, tag < 0 ? text.length : tag), open.length === 1);
    if (tag < 0) break;
    const skipped = skipMarkup(text, tag, parent, open.length === 1);
    if (skipped !== null) {
      at = skipped;
      continue;
    }
    if (text[tag + 1] === '/') {
      const end = text.indexOf('>', tag);
      if (end < 0 || open.length === 1 || text.slice(tag + 2, end).trim() !== parent.name)
        throw new Refusal('its XML closes an element that is not open');
      open.pop();
      at = end + 1;
      continue;
    }
    const { element, isClosed, next } = readTag(text, tag);
    elements += 1;
    if (elements > MAX_ELEMENTS) throw new Refusal(`its XML has more than ${MAX_ELEMENTS} elements`);
    if (open.length === 1 && document.children.length > 0)
      throw new Refusal('its XML has more than one root element');
    parent.children.push(element);
    if (!isClosed) open.push(element);
    if (open.length > MAX_DEPTH + 1) throw new Refusal(`its XML is nested deeper than ${MAX_DEPTH} elements`);
    at = next;
  }
  if (open.length > 1 || !document.children[0])
    throw new Refusal('its XML ends before its last element is closed');
  return document.children[0];
}

/** The place after a comment, an instruction or a CDATA section; null where none stands. */
function skipMarkup(text: string, at: number, parent: XmlElement, isOutside: boolean): number | null {
  const upTo = (start: string, end: string): number | null => {
    if (!text.startsWith(start, at)) return null;
    const found = text.indexOf(end, at + start.length);
    if (found < 0) throw new Refusal('its XML ends inside a comment or an instruction');
    return found + end.length;
  };
  const after = upTo('<?', '?>') ?? upTo('<!--', '-->');
  if (after !== null) return after;
  const data = isOutside ? null : upTo('<![CDATA[', ']]>');
  if (data !== null) {
    parent.text += text.slice(at + 9, data - 3);
    return data;
  }
  if (text.startsWith('<!', at))
    throw new Refusal('its XML declares a document type or entities, which is not allowed');
  return null;
}

function readTag(text: string, at: number): { element: XmlElement; isClosed: boolean; next: number } {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) throw new Refusal('its XML is not well-formed');
  TAG_END.lastIndex = afterAttributes(text, at + 1 + name.length);
  const end = TAG_END.exec(text);
  if (end === null) throw new Refusal('its XML is not well-formed');
  return { element: { name, children: [], text: '' }, isClosed: end[1] === '/', next: TAG_END.lastIndex };
}

/** One match for each attribute: a single pattern for all of them keeps a way back for each, which exhausts the stack of patterns. */
function afterAttributes(text: string, from: number): number {
  let at = from;
  for (ATTRIBUTE.lastIndex = at; ATTRIBUTE.test(text); ) at = ATTRIBUTE.lastIndex;
  return at;
}

function addText(parent: XmlElement, raw: string, isOutside: boolean): void {
  if (raw === '') return;
  if (isOutside) {
    if (raw.trim() !== '') throw new Refusal('its XML has text outside its root element');
    return;
  }
  parent.text += decodeText(raw);
}

const MAX_REFERENCE = 12;

function decodeText(raw: string): string {
  let text = '';
  let from = 0;
  for (let at = raw.indexOf('&'); at >= 0; at = raw.indexOf('&', from)) {
    const name = raw.slice(at + 1, at + MAX_REFERENCE).split(';', 1)[0] as string;
    text += raw.slice(from, at) + decodeReference(name);
    from = at + name.length + 2;
    if (raw[from - 1] !== ';') throw unknownEntity();
  }
  return text + raw.slice(from);
}

const unknownEntity = () => new Refusal('its XML uses an entity that is not one of the five built in');

function decodeReference(name: string): string {
  const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
  const code = number
    ? Number.parseInt(number[1] ?? (number[2] as string), number[1] === undefined ? 10 : 16)
    : null;
  const known =
    code === null ? NAMED.get(name) : code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
  if (known === undefined) throw unknownEntity();
  return known;
}
