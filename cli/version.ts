import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './engines/engine-lock.js';

/** That of this clone. */
export const codeVersion = (): string =>
  (JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }).version;
