import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { loadCatalog } from '../../../api/training/load-catalog.js';
import { until } from './workload-waits.js';
import { DOCKER, ProcessKit } from './process-kit.js';
import { describeRuntime } from './runtime.contract.js';

const CLASSIFIES = {
  task: 'classification',
  split: { mode: 'ratio', stratify: true },
  metrics: ['test/accuracy'],
  artifacts: [],
  memoryBytes: 2 ** 30,
  patienceMs: 60_000,
} as const;

const OFF = {
  runtime: 'ultralytics',
  available: false,
  reason: expect.stringMatching(/AGPL-3\.0.*SERVICE_RUNTIMES/),
  isOff: true,
};

describe('the contract of runtimes', () => {
  const home = mkdtempSync(join(tmpdir(), 'visionops-runtimes-'));
  const docker = join(home, 'docker');
  for (const folder of ['contract', 'process', 'runtimes/sklearn', 'runtimes/ultralytics', 'stagers/dataset'])
    cpSync(join(DOCKER, folder), join(docker, folder), { recursive: true });
  // Adding a runtime is this one folder, with its catalog.yaml.
  cpSync(resolve('tests/fixtures/runtimes/mean-colour'), join(docker, 'runtimes/mean-colour'), {
    recursive: true,
  });
  const runtimesDir = join(docker, 'runtimes');
  const kit = new ProcessKit(defaultCacheDir(), runtimesDir);
  const dataset = join(home, 'digits');

  let interpreter = '';

  beforeAll(async () => {
    const options = { runtimesDir, cacheDir: defaultCacheDir() };
    const { python, programs } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' });
    await ensureRuntimeVenv({ ...options, runtime: 'mean-colour' });
    interpreter = python;
    const apart = ['--holdback', '1500', '--holdback-dir', join(home, 'apart')];
    await promisify(execFile)(python, [join(programs, 'export_digits.py'), dataset, ...apart]);
  }, 300_000);
  afterAll(async () => {
    await kit.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('finds a new runtime by its folder, and offers what its catalog says', async () => {
    const found = loadCatalog(runtimesDir).model('mean-colour', 'classification', 'nearest-mean');
    expect(found).toMatchObject({ isDefault: true, rules: { epochs: { type: 'integer', most: 10_000 } } });
    expect(await kit.runner().runtimes()).toEqual([
      { runtime: 'mean-colour', available: true, reason: null },
      { runtime: 'sklearn', available: true, reason: null },
      OFF,
    ]);
  });

  it('sends what is no number in the words of the tracker', async () => {
    const points = await said(
      'from tracker import points_of',
      'points_of({"a": float("nan"), "b": float("inf"), "c": -float("inf"), "d": 0.5}, 3)',
    );
    expect(points.map(({ value, step }: { value: unknown; step: number }) => [value, step])).toEqual([
      ['NaN', 3],
      ['Infinity', 3],
      ['-Infinity', 3],
      [0.5, 3],
    ]);
  });

  it('does not take an exported network for equal that answers with what is no number', async () => {
    const imports = 'import numpy; from comparison import compare; one = numpy.array([1.0, 2.0])';
    const asText = (expected: string, given: string) =>
      said(imports, `[str(value) for value in compare([[${expected}]], [[${given}]])]`);
    expect(await asText('one', 'one + 0.25')).toEqual(['0.25', '2']);
    expect(await asText('one', 'one * numpy.nan')).toEqual(['inf', '0']);
    expect(await asText('one * numpy.inf', 'one * numpy.inf')).toEqual(['inf', '0']);
  });

  /** What an expression of Python is, with the files that runtimes share at hand. */
  async function said(imports: string, expression: string) {
    const script = `import json; ${imports}; print(json.dumps(${expression}))`;
    const env = { ...process.env, PYTHONPATH: join(docker, 'contract') };
    return JSON.parse((await promisify(execFile)(interpreter, ['-c', script], { env })).stdout);
  }

  it('makes nothing of a runtime that is off, and offers it once the operator names it', async () => {
    const cache = join(home, 'cache');
    const off = new ProcessKit(cache, runtimesDir);
    const on = new ProcessKit(cache, runtimesDir, ['ultralytics']);
    expect((await on.runner().runtimes()).at(-1)).toMatchObject({ runtime: 'ultralytics', reason: null });
    const runner = off.running();
    const spec = off.spec({ runtime: 'ultralytics', entrypoint: 'train.py' });
    await runner.start(spec);
    const waits = async () => (await runner.status(spec.id))?.message?.includes('SERVICE_RUNTIMES');
    await until('the reason', waits, 20_000);
    expect(existsSync(join(cache, 'venvs'))).toBe(false);
    await off.close();
    await on.close();
  }, 60_000);

  describeRuntime(kit, {
    ...CLASSIFIES,
    ...{ runtime: 'sklearn', model: 'mlp', dataset, epochs: 4 },
    quick: 'epochs: 4\n',
    long: 'epochs: 2000\nhidden: 512\nimage_size: 32\n',
  });
  describeRuntime(kit, {
    ...CLASSIFIES,
    ...{ runtime: 'mean-colour', model: 'nearest-mean', dataset, epochs: 3 },
    quick: 'epochs: 3\n',
    long: 'epochs: 10000\npause_ms: 100\n',
  });
});
