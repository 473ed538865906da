/** What the product is built from. */
export const PRODUCT = ['core', 'formats', 'models', 'adapters', 'api', 'workflows', 'activities', 'cli'];

/** And what builds, tests and measures it. */
export const SOURCES = [...PRODUCT, 'scripts', 'tests', 'bench'];
