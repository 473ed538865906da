/** All words of the console. Another language is another set of these files. */
export * as text from './words';
