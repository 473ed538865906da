/** Rows of databases of earlier releases, as SQL text by version; the compiled tests read and write them beside the sources. */
export const DUMPS = new URL('../../../tests/fixtures/upgrade/', import.meta.url);
