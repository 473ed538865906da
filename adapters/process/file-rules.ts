import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pythonCandidates } from './python-locator.js';

/**
 * Version of Landlock that the kernel has, by which the shim closes files and processes to workloads whoever their user
 * is; 0 where it has none, or nobody can tell without Python.
 */
export function fileRulesVersion(runtimesDir: string): number {
  const [python] = pythonCandidates(process.env);
  if (python === undefined) return 0;
  const program = resolve(runtimesDir, '../process/file_access.py');
  const asked = spawnSync(python, ['-I', program], { encoding: 'utf8', timeout: 10_000, env: {} });
  return asked.status === 0 ? Number(asked.stdout) || 0 : 0;
}
