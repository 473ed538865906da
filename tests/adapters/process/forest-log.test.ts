import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { DOCKER } from './process-kit.js';

/** The list of filters is as the threads of a forest leave it now and then. */
const GROW = `
import sys, warnings
sys.path.insert(0, sys.argv[1])
import numpy, estimators
hp = {"seed": 1, "max_depth": 0, "min_samples_leaf": 1, "trees": 20, "trees_per_round": 10}
rows, truth = numpy.random.default_rng(1).random((50, 8)), numpy.arange(50) % 3
forest = estimators.create("random-forest", hp)
for number in (1, 2):
    warnings.filters[:] = []
    estimators.fit_round("random-forest", forest, hp, number, rows, truth, None)
    warnings.filters[:] = []
    estimators.scores_of(forest, rows)
print(len(forest.estimators_))
warnings.warn("worth reading")
`;

it('the log of a random forest holds no warning for each tree, and the others', async () => {
  const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
  const { python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' });
  const { stdout, stderr } = await promisify(execFile)(python, [
    '-B',
    '-c',
    GROW,
    join(DOCKER, 'runtimes/sklearn'),
  ]);
  expect(stdout).toBe('20\n');
  expect(stderr.match(/Warning: .*/g)).toEqual(['Warning: worth reading']);
}, 300_000);
