import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { z } from 'zod';
import { pythonCandidates } from './python-locator.js';

/** What the kernel closes to workloads whoever their user is, by rules that the shim puts on them. */
export interface KernelRules {
  /** Version of Landlock; 0 where there is none: from 1 on files and processes of others are closed, from 6 on signals. */
  readonly version: number;
  /** Whether they connect to no ports but those that they are given. */
  readonly closesConnections: boolean;
}

export const NO_RULES: KernelRules = { version: 0, closesConnections: false };

const rulesSchema = z.object({ version: z.number(), closesConnections: z.boolean() });

/** What the program that applies them answers; none without Python. */
export function readKernelRules(runtimesDir: string): KernelRules {
  const [python] = pythonCandidates(process.env);
  if (python === undefined) return NO_RULES;
  const program = resolve(runtimesDir, '../process/file_access.py');
  const asked = spawnSync(python, ['-I', program], { encoding: 'utf8', timeout: 10_000, env: {} });
  return asked.status === 0 ? rulesSchema.parse(JSON.parse(asked.stdout)) : NO_RULES;
}
