import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { EngineError } from '../engines/engine.js';

/** The files that the command line keeps in a data directory. */
export const dataFiles = (dataDir: string) => ({
  secrets: join(dataDir, 'secrets.json'),
  state: join(dataDir, 'supervisor.json'),
  lock: join(dataDir, 'supervisor.lock'),
  platform: join(dataDir, 'platform.json'),
  mail: join(dataDir, 'mail'),
  logs: join(dataDir, 'logs'),
  /** Secrets of a process that starts; removed as soon as it has read them. */
  handover: (process: string) => join(dataDir, 'handover', process),
  sample: join(dataDir, 'sample'),
  /** Written last, and only when the sample journey has ended well. */
  sampleResult: join(dataDir, 'sample', 'result.json'),
});

/** A directory with neither file was never a platform's: what lies there is somebody else's, whatever its name. */
export const holdsPlatform = (dataDir: string): boolean =>
  [dataFiles(dataDir).secrets, dataFiles(dataDir).state].some((file) => existsSync(file));

/** Others may pass through, as the database's user must, but only the owner may look inside. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  for (const folder of [dataFiles(dataDir).mail, dataFiles(dataDir).logs, dataFiles(dataDir).sample])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** @param without what follows when there is no copy */
export const damagedFile = (file: string, without = ''): EngineError =>
  new EngineError(`${file} is damaged: put back your copy of it.${without}`);

/** Null when there is no such file. @throws EngineError when it is not JSON, with nothing of what it holds */
export function readJson(file: string, without?: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (error instanceof SyntaxError) throw damagedFile(file, without);
    throw error;
  }
}

/** Readable by the owner only; a reader sees the old or the new content, never half of it. */
export function writeJson(file: string, content: unknown): void {
  const work = `${file}.${process.pid}`;
  writeFileSync(work, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(work, file);
}

export const removeFile = (file: string): void => rmSync(file, { force: true });

/** Whether a place is the folder or below it; `/x/.data2` is not inside `/x/.data`. */
export function isInside(folder: string, place: string): boolean {
  const way = relative(resolve(folder), resolve(place));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
