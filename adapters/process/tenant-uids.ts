import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every installation on a machine has its own range, so that two of them do not share a tenant's user. */
export const UID_FLOOR = 200_000;
const UIDS_PER_INSTALLATION = 50_000;
const INSTALLATIONS = 4096;
/** Stands where a tenant's id stood. */
const RETIRED = 'retired';

export const uidBase = (root: string): number =>
  UID_FLOOR +
  (createHash('sha256').update(root).digest().readUInt32BE(0) % INSTALLATIONS) * UIDS_PER_INSTALLATION;

/**
 * Gives each tenant one user id for good. A file `uids/<uid>` holds the tenant; it comes into being by `link`, which only
 * one of two processes can win. When both gave the same tenant an id, the lower one counts.
 */
export class TenantUids {
  private readonly known = new Map<string, number>();

  constructor(private readonly root: string) {}

  /** @throws Error when the range of this installation is used up */
  async allocate(tenantId: string): Promise<number> {
    const cached = this.known.get(tenantId);
    if (cached !== undefined) return cached;
    const folder = join(this.root, 'uids');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    let taken = await this.read(folder);
    while (taken.of(tenantId) === undefined) {
      const next = taken.highest === null ? uidBase(this.root) : taken.highest + 1;
      if (next >= uidBase(this.root) + UIDS_PER_INSTALLATION)
        throw new Error('All user ids of this installation are given to tenants.');
      await claim(folder, next, tenantId);
      taken = await this.read(folder);
    }
    const uid = taken.of(tenantId) as number;
    this.known.set(tenantId, uid);
    return uid;
  }

  /** Forgets whose user it was. The id itself is never given again: files of the old tenant must not become a new one's. */
  async retire(tenantId: string): Promise<void> {
    this.known.delete(tenantId);
    const folder = join(this.root, 'uids');
    const names = await readdir(folder).catch(() => [] as string[]);
    for (const name of names.filter((candidate) => /^\d+$/.test(candidate)))
      if ((await readFile(join(folder, name), 'utf8')) === tenantId)
        await writeFile(join(folder, name), RETIRED, { mode: 0o600 });
  }

  /** Tenants that have a user. */
  async tenants(): Promise<string[]> {
    const folder = join(this.root, 'uids');
    const names = (await readdir(folder).catch(() => [] as string[])).filter((name) => /^\d+$/.test(name));
    const owners = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return owners.filter((owner) => owner !== RETIRED);
  }

  private async read(
    folder: string,
  ): Promise<{ highest: number | null; of: (tenantId: string) => number | undefined }> {
    const uids = (await readdir(folder))
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
    const owners = await Promise.all(uids.map((uid) => readFile(join(folder, String(uid)), 'utf8')));
    return { highest: uids.at(-1) ?? null, of: (tenantId) => uids[owners.indexOf(tenantId)] };
  }
}

async function claim(folder: string, uid: number, tenantId: string): Promise<void> {
  const draft = join(folder, `.${randomBytes(6).toString('hex')}`);
  await writeFile(draft, tenantId, { mode: 0o600 });
  try {
    await link(draft, join(folder, String(uid)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}
