/** Characters of one text that are shown. */
export const MAX_CELL_TEXT = 1000;
const MAX_DEPTH = 6;
const MAX_ITEMS = 50;
/** Values inside one nested cell. */
const MAX_NODES = 500;

/** What a sample had to leave out. */
export interface CellCounter {
  /** Cells of which only a part is shown. */
  cut: number;
}

/** A value as it can stand in an answer: texts cut, nesting and length of lists bounded, nothing that JSON cannot say. */
export function boundedCell(value: unknown, counter: CellCounter): unknown {
  const state = { nodes: 0, isCut: false };
  const cell = bound(value, 0, state);
  if (state.isCut) counter.cut += 1;
  return cell;
}

/** Half characters cannot be stored or sent. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

interface State {
  nodes: number;
  isCut: boolean;
}

function bound(value: unknown, depth: number, state: State): unknown {
  state.nodes += 1;
  if (value === null || value === undefined || typeof value === 'function' || typeof value === 'symbol')
    return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return boundText(value, state);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return { bytes: value.length };
  return boundNested(value as object, depth, state);
}

function boundText(text: string, state: State): string {
  if (text.length <= MAX_CELL_TEXT) return wellFormed(text);
  state.isCut = true;
  return `${wellFormed(text.slice(0, MAX_CELL_TEXT))}…`;
}

function boundNested(value: object, depth: number, state: State): unknown {
  if (depth >= MAX_DEPTH || state.nodes >= MAX_NODES) {
    state.isCut = true;
    return '…';
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as unknown as ArrayLike<unknown>;
    const items: unknown[] = [];
    for (let at = 0; at < list.length && items.length < MAX_ITEMS && state.nodes < MAX_NODES; at += 1)
      items.push(bound(list[at], depth + 1, state));
    if (items.length < list.length) state.isCut = true;
    return items;
  }
  const names = Object.keys(value);
  if (names.length > MAX_ITEMS) state.isCut = true;
  return Object.fromEntries(
    names
      .slice(0, MAX_ITEMS)
      .map((name) => [
        name.slice(0, MAX_CELL_TEXT),
        bound((value as Record<string, unknown>)[name], depth + 1, state),
      ]),
  );
}
