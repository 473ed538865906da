import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/errors/app-error.js';
import type { WorkloadDownload, WorkloadSpec } from '../../core/ports/workload-runner.js';
import { isRunning } from './process-table.js';
import type {
  ExitRecord,
  InstanceRecord,
  InstanceView,
  IntentRecord,
  LaunchRecord,
  PidRecord,
  SpecRecord,
} from './workload-records.js';
import { FRESH_INSTANCE } from './workload-records.js';

/** Making a draft takes far less. */
const DRAFT_TAKES_MS = 60_000;
/** In the workload's own directory; read by the stager. */
const DOWNLOADS = 'downloads.json';
const ID = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Null when there is no such file. Half-written JSON cannot occur: every writer renames. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Replaces the file in one step; after a crash it holds the old or the new content, never a part.
 * @param owner user that it is to belong to, null = the platform's own
 */
export async function writeJson(path: string, value: unknown, owner: number | null = null): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  // New: in a folder of a tenant nothing is written through a link that lies there.
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(value));
    if (owner !== null) await file.chown(owner, owner);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** @throws AppError bad_request when a path would leave the workload's directory */
export function safeRelative(path: string): string {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw new AppError('bad_request', `The path ${JSON.stringify(path)} is not a safe relative path.`);
  return path;
}

/** The directories of all workloads below one root, and nothing but reading and writing them. */
export class WorkloadStore {
  constructor(readonly root: string) {}

  /** @throws AppError bad_request for an id that is not a DNS label */
  directory(id: string): string {
    if (!ID.test(id))
      throw new AppError(
        'bad_request',
        `The workload id ${JSON.stringify(id)} is not a DNS label of at most 63 characters.`,
      );
    return join(this.root, id);
  }

  work(id: string): string {
    return join(this.directory(id), 'work');
  }

  instance(id: string, index: number): string {
    return join(this.directory(id), 'instances', String(index));
  }

  async ids(): Promise<string[]> {
    const names = await readdir(this.root).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names.filter((name) => ID.test(name)).sort();
  }

  spec(id: string): Promise<SpecRecord | null> {
    return readJson(join(this.directory(id), 'spec.json'));
  }

  intent(id: string): Promise<IntentRecord | null> {
    return readJson(join(this.directory(id), 'intent.json'));
  }

  writeIntent(id: string, intent: IntentRecord): Promise<void> {
    return writeJson(join(this.directory(id), 'intent.json'), intent);
  }

  /** Time of the last change of the wish; null when there is no such workload. */
  async intentVersion(id: string): Promise<number | null> {
    const info = await stat(join(this.directory(id), 'intent.json')).catch(() => null);
    return info === null ? null : info.mtimeMs;
  }

  /**
   * Makes the directory of a workload complete under another name and renames it: there is never half a workload.
   * @returns false when the id exists already
   */
  async create(spec: WorkloadSpec, record: SpecRecord): Promise<boolean> {
    const target = this.directory(spec.id);
    if ((await this.intentVersion(spec.id)) !== null) return false;
    const draft = join(this.root, `.new-${spec.id}-${randomBytes(4).toString('hex')}`);
    try {
      await mkdir(draft);
      // Others may pass (the tenant's user has its folder below) but not list. Not by mkdir's mode: the umask reduces it.
      await chmod(draft, 0o711);
      await mkdir(join(draft, 'instances'), { mode: 0o700 });
      await this.fillWork(join(draft, 'work'), spec, record.uid);
      await writeJson(join(draft, 'spec.json'), record);
      const intent: IntentRecord = {
        desired: 'running',
        replicas: spec.kind === 'job' ? 1 : spec.replicas,
        graceS: 20,
        generation: 0,
      };
      await writeJson(join(draft, 'intent.json'), intent);
      await rename(draft, target);
      return true;
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  }

  private async fillWork(work: string, spec: WorkloadSpec, uid: number | null): Promise<void> {
    const made = new Set<string>([work]);
    await mkdir(work, { mode: 0o700 });
    const files = [...spec.files];
    if (spec.downloads.length > 0) files.push({ path: DOWNLOADS, content: JSON.stringify(spec.downloads) });
    for (const folder of ['home', 'tmp']) {
      await mkdir(join(work, folder), { mode: 0o700 });
      made.add(join(work, folder));
    }
    for (const file of files) {
      const path = join(work, safeRelative(file.path));
      for (let folder = dirname(path); !made.has(folder); folder = dirname(folder)) made.add(folder);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, file.content, { mode: 0o600 });
      made.add(path);
    }
    if (uid !== null) for (const path of made) await chown(path, uid, uid);
  }

  /** Replaces what the stager of its next start reads. */
  writeDownloads({ id, uid }: SpecRecord, downloads: readonly WorkloadDownload[]): Promise<void> {
    return writeJson(join(this.work(id), DOWNLOADS), downloads, uid);
  }

  /** Directory of one instance's records, closed to every other user. */
  async makeInstance(id: string, index: number): Promise<void> {
    await mkdir(this.instance(id, index), { recursive: true, mode: 0o700 });
  }

  async views(id: string, replicas: number): Promise<InstanceView[]> {
    const names = await readdir(join(this.directory(id), 'instances')).catch(() => [] as string[]);
    const indices = new Set(names.filter((name) => /^\d+$/.test(name)).map(Number));
    for (let index = 0; index < replicas; index++) indices.add(index);
    return Promise.all([...indices].sort((a, b) => a - b).map((index) => this.view(id, index)));
  }

  async view(id: string, index: number): Promise<InstanceView> {
    const path = this.instance(id, index);
    const [record, launch, pid] = await Promise.all([
      readJson<InstanceRecord>(join(path, 'instance.json')),
      readJson<LaunchRecord>(join(path, 'launch.json')),
      readJson<PidRecord>(join(path, 'pid.json')),
    ]);
    const attempt = launch?.attempt ?? 0;
    const current = pid?.attempt === attempt ? pid : null;
    const isAlive = current !== null && isRunning(current.pid, current.start);
    // The shim writes exit.json before it ends: read after it was seen dead, a missing file means that it was lost.
    const exit = await readJson<ExitRecord>(join(path, 'exit.json'));
    return {
      index,
      record: { ...FRESH_INSTANCE, ...record },
      launch,
      pid: current,
      exit: exit?.attempt === attempt ? exit : null,
      isAlive,
    };
  }

  /** Takes the directory away in one step, then deletes it. */
  async remove(id: string): Promise<void> {
    const trash = join(this.root, `.old-${id}-${randomBytes(4).toString('hex')}`);
    await rename(this.directory(id), trash).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await rm(trash, { recursive: true, force: true });
  }

  /** Deletes drafts and trash that a killed process left behind. */
  async sweep(olderThanMs: number): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [] as string[])) {
      if (!name.startsWith('.new-') && !name.startsWith('.old-')) continue;
      const info = await stat(join(this.root, name)).catch(() => null);
      if (info !== null && Date.now() - info.ctimeMs > olderThanMs)
        await rm(join(this.root, name), { recursive: true, force: true });
    }
  }
  /** Deletes trash, and what a killed process left of a tenant's drafts: at once where the owner is known, else when nobody can be at it any more. */
  async sweepTenant(tenantId: string): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [] as string[])) {
      const path = join(this.root, name);
      if (name.startsWith('.old-')) await rm(path, { recursive: true, force: true });
      if (!name.startsWith('.new-')) continue;
      const [spec, info] = await Promise.all([
        readJson<SpecRecord>(join(path, 'spec.json')),
        stat(path).catch(() => null),
      ]);
      const isAbandoned = spec === null && info !== null && Date.now() - info.ctimeMs > DRAFT_TAKES_MS;
      if (spec?.tenantId === tenantId || isAbandoned) await rm(path, { recursive: true, force: true });
    }
  }
}
