/** What stands in a search box, and what the address says of it. */
export interface TypedSearch {
  readonly typed: string;
  /** What the address has got from the box last. */
  readonly sent: string;
  readonly address: string;
}

export const searchOf = (q: string): TypedSearch => ({ typed: q, sent: q, address: q });

/**
 * The address changed. The box's own word comes back while somebody types on, and without the blanks at its ends: it changes
 * nothing. Another word (back, a link, "clear") takes the place of what was typed.
 */
export const withAddress = (search: TypedSearch, q: string): TypedSearch =>
  q === search.sent ? { ...search, address: q } : searchOf(q);
