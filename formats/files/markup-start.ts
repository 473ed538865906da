/** What a text of markup begins with, in lower case. */
export interface MarkupStart {
  /** True for a text that begins with an XML declaration. */
  readonly isXml: boolean;
  /** Name of the declared document type. */
  readonly doctype: string | null;
  /** Name of the first element; null where something else stands there, or nothing more was given. */
  readonly root: string | null;
}

const DECLARATION = '<!doctype';
const NAME = /[a-z_][\w.:-]{0,99}/iy;

/**
 * Reads over what may stand before the first element: white space, instructions, comments and declarations of a document
 * type. Each character is looked at once, whatever the text is. @param text from its first character that is no white space
 */
export function readMarkupStart(text: string): MarkupStart {
  let doctype: string | null = null;
  let at = 0;
  for (;;) {
    at = afterSpace(text, at);
    if (text.startsWith('<?', at)) at = after(text, '?>', at + 2);
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text.slice(at, at + DECLARATION.length).toLowerCase() === DECLARATION) {
      doctype ??= nameAt(text, afterSpace(text, at + DECLARATION.length));
      at = afterDeclaration(text, at + DECLARATION.length);
    } else
      return {
        isXml: text.startsWith('<?xml'),
        doctype,
        root: text[at] === '<' ? nameAt(text, at + 1) : null,
      };
  }
}

const nameAt = (text: string, at: number): string | null => {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0].toLowerCase() ?? null;
};

/** The place behind `end`; that of the text's end where it is cut before. */
function after(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found < 0 ? text.length : found + end.length;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? '-')) at += 1;
  return at;
}

/** The place behind the `>` of a declaration: not one within quotes, comments, or the declarations between its brackets. */
function afterDeclaration(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at] as string;
    if (char === '>' && depth === 0) return at + 1;
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (char === '"' || char === "'") at = after(text, char, at + 1);
    else {
      if (char === '[') depth += 1;
      if (char === ']') depth -= 1;
      at += 1;
    }
  }
  return text.length;
}
