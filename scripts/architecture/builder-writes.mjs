/**
 * One row is changed on its entity, many by SQL text in `.sql.ts` that says why: Kysely reads. A write by its builder would
 * be neither counted nor explained.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { PRODUCT } from '../source-folders.mjs';

const WRITE = /\.\s*(insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\s*\(/;

/** Name and meaning of the rule, in the form of the rules about imports. */
export const BUILDER_RULE = {
  name: 'builder-only-reads',
  comment: 'rows are written on entities or by SQL text with its reason, not by the query builder',
};

/** @returns lines `rule: file -> what is wrong` */
export function builderViolations() {
  return PRODUCT.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const write = WRITE.exec(readFileSync(path, 'utf8'))?.[1];
      return write === undefined ? [] : [`${BUILDER_RULE.name}: ${path} -> writes by ${write}()`];
    });
}
