import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import type { Settings } from '../../../core/config/settings.js';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import type { RegisteredRun } from '../../../models/registry/model.types.js';
import { registerModelVersion } from '../../../models/registry/register-version.commands.js';
import { runWithModel } from '../registry/support/registry-builders.js';

export interface DigitModel {
  /** Files of the model folder. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** PNG images that the model never saw, by label. */
  readonly heldBack: ReadonlyArray<{ readonly label: string; readonly png: Buffer }>;
}

/** A real model of the digits, trained in a moment with the runtime's own programs. */
export async function trainDigits(): Promise<DigitModel> {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-digits-'));
  const venv = await ensureRuntimeVenv({
    runtime: 'sklearn',
    runtimesDir: resolve('docker/runtimes'),
    cacheDir: defaultCacheDir(),
  });
  const run = promisify(execFile);
  const [images, apart, model] = ['train', 'held-back', 'model'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await run(venv.python, [
    join(venv.programs, 'export_digits.py'),
    images,
    '--holdback',
    '100',
    '--holdback-dir',
    apart,
  ]);
  await run(venv.python, [resolve('tests/api/serving/train_digits.py'), venv.programs, images, model]);
  const made = {
    files: new Map(readdirSync(model).map((name) => [name, readFileSync(join(model, name))])),
    heldBack: readdirSync(apart).flatMap((label) =>
      readdirSync(join(apart, label)).map((name) => ({ label, png: readFileSync(join(apart, label, name)) })),
    ),
  };
  rmSync(folder, { recursive: true });
  return made;
}

/** Puts the files into the store and registers them as the next version of a model. */
export async function registerDigits(
  settings: Settings,
  db: Database,
  tenant: string,
  modelName: string,
  files: ReadonlyMap<string, Buffer>,
  over: Partial<RegisteredRun> = {},
): Promise<number> {
  const store = openObjectStore(settings);
  try {
    const modelFiles = await Promise.all(
      [...files].map(async ([name, bytes]) => {
        const objectKey = `t/${tenant}/runs/${randomUUID()}`;
        await store.put(objectKey, bytes, bytes.length);
        return {
          path: `model/${name}`,
          sizeBytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          objectKey,
        };
      }),
    );
    const version = await db.inTenant(asTenantId(tenant), (tx) =>
      registerModelVersion(tx, SYSTEM_ACTOR, {
        modelName,
        run: runWithModel({ trainingExperimentId: randomUUID(), modelFiles, ...over }),
      }),
    );
    return version.version;
  } finally {
    await store.close();
  }
}

/** Waits for what `ask` answers. @throws Error naming what did not come, with the last answer */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 30_000,
  explain: () => string = () => '',
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${what} did not come. ${explain()}`);
}
