import { it } from '@jest/globals';

/**
 * A test of what not every machine has. Where it is missing the test is skipped under a name that says why, which CI lists.
 * @param missing what the machine lacks, null where it has everything
 */
export const onlyWhere = (missing: string | null): ((name: string, body: () => Promise<void>) => void) =>
  missing === null ? it : (name, body) => it.skip(`${name} [skipped: ${missing}]`, body);
