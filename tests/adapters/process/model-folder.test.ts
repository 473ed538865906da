import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';

/** Reads a model folder with the reader of a runtime; what only makes networks is not there. */
const READ = `
import sys, types
sys.path[:0] = sys.argv[2:]
def stand_in(name, **things):
    module = types.ModuleType(name)
    module.__dict__.update(things)
    sys.modules[name] = module
if sys.argv[2].endswith("contract"):
    stand_in("torch"); stand_in("models", FLAVOUR="visionops_sklearn", create=lambda *all: types.SimpleNamespace(load_state_dict=None))
    stand_in("safetensors", SafetensorError=KeyError); stand_in("safetensors.torch", load_file=None, save_file=None)
import model_folder
try:
    model_folder.load_model(sys.argv[1])
except model_folder.BadModel as error:
    print(error)
`;

describe('the reader of a model folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'visionops-model-folder-'));
  const contract = resolve('docker/contract');
  let python: string;
  beforeAll(async () => {
    const options = { runtimesDir: resolve('docker/runtimes'), cacheDir: defaultCacheDir() };
    ({ python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' }));
    writeFileSync(join(root, 'beside.json'), '["a", "b"]');
  }, 300_000);
  afterAll(() => rmSync(root, { recursive: true }));

  const refusal = async (programs: string, labels: string, data: string) => {
    const folder = mkdtempSync(join(root, 'model-'));
    const settings = { task: 'classification', model: 'mlp', labels, data, keypoints: [] };
    writeFileSync(join(folder, 'MLmodel'), JSON.stringify({ flavors: { visionops_sklearn: settings } }));
    writeFileSync(join(folder, 'labels.json'), '["a", "b"]');
    return (await promisify(execFile)(python, ['-c', READ, folder, programs, contract])).stdout;
  };

  it.each([
    ['of the shared contract', contract],
    ['of scikit-learn', resolve('docker/runtimes/sklearn')],
  ])('%s takes files from the folder alone', async (_whose, programs) => {
    for (const [labels, data] of [
      [join(root, 'beside.json'), 'model.bin'],
      ['../beside.json', 'model.bin'],
      ['..', 'model.bin'],
      ['labels.json', join(root, 'beside.json')],
      ['labels.json', '../beside.json'],
    ] as const)
      expect(await refusal(programs, labels, data)).toMatch(/is not the name of a file/);
  });
});
