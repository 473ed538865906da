import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const lock = read('package-lock.json') as { packages: Readonly<Record<string, LockEntry>> };
const manifest = read('package.json') as Required<
  Pick<LockEntry, 'dependencies' | 'devDependencies' | 'optionalDependencies'>
>;
const entries = Object.entries(lock.packages).filter(([place]) => place !== '');

describe('the lock file', () => {
  it('names no registry, so that any mirror serves it', () => {
    expect(entries.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
  });

  it('pins each package by hash, save those of other platforms', () => {
    expect(
      entries
        .filter(([, entry]) => entry.integrity === undefined && entry.optional !== true)
        .map(([place]) => place),
    ).toEqual([]);
  });

  it('belongs to package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = lock.packages[''] as LockEntry;
    expect({ dependencies, devDependencies, optionalDependencies }).toEqual({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
      optionalDependencies: manifest.optionalDependencies,
    });
  });

  it('holds every optional package, as "npm ci" demands', () => {
    const missing = entries.flatMap(([place, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          lock.packages[`${place}/node_modules/${name}`] === undefined &&
          lock.packages[`node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  it('has only exact versions in package.json', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    expect(
      Object.entries(all).filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version)),
    ).toEqual([]);
  });
});
