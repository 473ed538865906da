import { SaxesParser } from 'saxes';

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
/** Limit of elements and attributes together. */
const MAX_PARTS = 200_000;
const NOT_ALLOWED = 'declares a document type or entities, which is not allowed';
/** Some programs write it elsewhere than at the start. It means nothing here: it is read over like any other instruction. */
const XML_DECLARATION = /<\?xml(?=[\s?])/gi;
/** The library's words for what people meet most, and ours. */
const IN_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/incorrect syntax|doctype/, NOT_ALLOWED],
  [/entity/, 'uses an entity that is not one of the five built in'],
  [/close tag|closing tag:/, 'closes an element that is not open'],
  [/only one root/, 'has more than one root element'],
  [/outside of root/, 'has text outside its root element'],
  [/unclosed|must contain a root|unexpected end/, 'ends before its last element, comment or entity does'],
];

class Refusal extends Error {}

/**
 * Reads XML that is only elements and text. Declarations of types and entities are refused, so nothing can unfold or be
 * fetched; depth and number of elements are bounded.
 */
export function readPlainXml(text: string): XmlReading {
  const document: XmlElement = { name: '', children: [], text: '' };
  const open = [document];
  let parts = 0;
  const count = () => {
    parts += 1;
    if (parts > MAX_PARTS) throw new Refusal(`has more than ${MAX_PARTS} elements and attributes`);
  };
  const addText = (more: string) => {
    (open.at(-1) as XmlElement).text += more;
  };
  const parser = new SaxesParser({ position: false });
  parser.on('doctype', () => {
    throw new Refusal(NOT_ALLOWED);
  });
  parser.on('error', ({ message }) => {
    const found = IN_WORDS.find(([theirs]) => theirs.test(message));
    throw new Refusal(found?.[1] ?? `is not well-formed (${message.replace(/\.$/, '')})`);
  });
  parser.on('attribute', count);
  parser.on('opentag', ({ name }) => {
    count();
    const element: XmlElement = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
    if (open.length > MAX_DEPTH + 1) throw new Refusal(`is nested deeper than ${MAX_DEPTH} elements`);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  try {
    parser.write(text.replace(XML_DECLARATION, '<?declaration')).close();
    return { root: document.children[0] as XmlElement, problem: null };
  } catch (error) {
    if (error instanceof Refusal) return { root: null, problem: `its XML ${error.message}` };
    throw error;
  }
}
