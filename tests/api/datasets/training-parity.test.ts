import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { asTenantId } from '../../../core/security/ids.js';
import { findFrozenDataset } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import type { Manifest } from '../../../models/datasets/validation/manifest.types.js';
import { settleAnnotated } from './support/annotated-dataset.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';
import { ANNOTATED_OTHERWISE, type Files } from './support/annotated-otherwise.js';

const DOCKER = resolve('docker');
/** What a training learns of a dataset, by the manifest. */
const READ = `
import json, sys
sys.path.insert(0, sys.argv[1])
from matched import read_matched, says_matches
entries = {entry["path"]: entry for entry in json.load(open(sys.argv[2] + "/manifest.json"))["files"]}
assert says_matches(entries)
found = read_matched(sys.argv[2] + "/dataset", entries)
rows = {name: {"name": name, "train": 0, "val": 0, "test": 0, "none": 0} for name in found.classes}
for path, things in found.objects.items():
    for thing in things:
        rows[thing.label][entries[path].get("split") or "none"] += 1
print(json.dumps({"classes": rows, "unread": found.unread, "unmatched": found.unmatched,
    "objects": {path: [[thing.label, *(round(side, 3) for side in thing.box)] for thing in things]
        for path, things in found.objects.items()},
    "outlines": [thing.outline for things in found.objects.values() for thing in things if thing.outline]}))
`;

interface Read {
  readonly classes: Readonly<Record<string, { readonly name: string }>>;
  readonly unread: readonly string[];
  readonly unmatched: number;
  readonly objects: Readonly<Record<string, readonly unknown[]>>;
  readonly outlines: readonly unknown[];
}

describe('a training learns from the annotations that the validation counted', () => {
  let lab: WorkingKit;
  let python: string;
  const home = mkdtempSync(join(tmpdir(), 'visionops-parity-'));
  beforeAll(async () => {
    lab = await openWorkingKit();
    const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
    ({ python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' }));
  }, 300_000);
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await lab?.close();
  });

  async function manifestOf(id: string): Promise<Manifest> {
    const { api, kit } = lab;
    const frozen = await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      findFrozenDataset(tx, id),
    );
    const bytes = await buffer(await api.container.objects.get(frozen?.manifestKey ?? ''));
    return JSON.parse(bytes.toString()) as Manifest;
  }
  async function learned(id: string, files: Files, manifest: Manifest): Promise<Read> {
    const folder = join(home, id);
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'dataset', path)), { recursive: true });
      writeFileSync(join(folder, 'dataset', path), bytes);
    }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    const { stdout } = await promisify(execFile)(python, ['-c', READ, join(DOCKER, 'contract'), folder]);
    return JSON.parse(stdout) as Read;
  }

  it.each(ANNOTATED_OTHERWISE)('$name', async ({ name, make, objects, outlines }) => {
    const files = await make();
    const { id, body, stats } = await settleAnnotated(lab, name.slice(0, 40), files);
    expect(body).toMatchObject({ status: 'FROZEN' });
    const read = await learned(id, files, await manifestOf(id));
    const { annotations } = stats;
    expect(read.unread).toEqual([]);
    expect(Object.keys(read.objects)).toHaveLength(annotations.images_annotated);
    const withObjects = Object.values(read.classes).filter((row) => Object.values(row).some(Number));
    const counted = annotations.objects_by_class.filter((row: object) => Object.values(row).some(Number));
    const byName = (rows: ReadonlyArray<{ readonly name: string }>) =>
      [...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(byName(withObjects)).toEqual(byName(counted));
    expect(read.objects).toEqual(objects);
    if (outlines) expect(read.outlines).toEqual(outlines);
  });
});
