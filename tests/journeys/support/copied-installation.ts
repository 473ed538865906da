import { chmodSync, cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../cli/engines/engine-lock.js';

/** What docker/Dockerfile puts into the image of the platform, beside its packages. */
const PARTS = [
  'package.json',
  'dist',
  'cli/usage.txt',
  'scripts/engines/engines.lock.json',
  'docker/contract',
  'docker/process',
  'docker/runtimes',
  'docker/stagers',
];

/** An installation of this build in a folder of its own, which the caller may change and removes. @returns the folder */
export function copyInstallation(): string {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-installation-'));
  // The workloads of tenants have users of their own, who pass the folder.
  chmodSync(folder, 0o755);
  const left = ['dist/tests', 'dist/bench'].map((part) => join(projectRoot(), part));
  for (const part of PARTS)
    cpSync(join(projectRoot(), part), join(folder, part), {
      recursive: true,
      filter: (source) => !left.includes(source),
    });
  symlinkSync(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
