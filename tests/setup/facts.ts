import { readFileSync } from 'node:fs';
import type { ProcessRef } from '../../cli/engines/process-ref.js';

/** The variable that names the file of connection facts for the test processes. */
export const FACTS_VARIABLE = 'VISIONOPS_TEST_ENGINES';

/** What the global setup started, written to a file that every test process reads. */
export interface EngineFacts {
  /** The jest process; when it has ended without its teardown, the next run stops what it left. */
  readonly owner: ProcessRef;
  readonly engines: readonly ProcessRef[];
  readonly postgres: { readonly port: number; readonly ownerPassword: string; readonly template: string };
  readonly passwords: Readonly<Record<'app' | 'platform' | 'auth' | 'ingest', string>>;
  readonly storePorts: Readonly<Record<string, number>>;
  readonly s3: { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string };
  /** In front of PostgreSQL, in the lane that tests what must work behind one; `pid` of the process that starts it again. */
  readonly pooler: { readonly port: number; readonly pid: number } | null;
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly timeSkipping: { readonly path: string | null; readonly reason: string | null };
}

export function readFacts(): EngineFacts {
  const file = process.env[FACTS_VARIABLE];
  if (file === undefined)
    throw new Error('The engines of the tests are not running: start the tests with "npm test".');
  return JSON.parse(readFileSync(file, 'utf8')) as EngineFacts;
}
