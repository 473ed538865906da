import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { FieldError } from '../../../core/errors/app-error.js';
import { parseRuntimeCatalog } from '../../../models/training/catalog/runtime-catalog.js';
import { checkMemory } from '../../../models/training/config/check-memory.js';

const found = (folder: string, name: string) => {
  const framework = parseRuntimeCatalog(name, readFileSync(`${folder}/${name}/catalog.yaml`, 'utf8'));
  const [model] = framework.models;
  const config = {
    ...{ task: 'classification', classes: [], hyperparameters: '' },
    split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 1, stratify: false },
  };
  const dataset = { classes: [{ name: 'a', count: 2_000_000 }], tasks: {}, splits: {}, fileCount: 2_000_000 };
  const said: { errors: FieldError[]; warnings: FieldError[] } = { errors: [], warnings: [] };
  checkMemory(config as never, { framework, model } as never, dataset as never, 2 ** 32, said);
  return [said.errors, said.warnings].map((list) => list.map(({ msg }) => msg));
};

describe('the memory of a training', () => {
  it('is refused where it grows with the size of images', () => {
    expect(found('docker/runtimes', 'sklearn')).toEqual([
      [expect.stringContaining('choose a smaller image_size or batch_size')],
      [],
    ]);
  });

  it('is a warning where nobody knows how it grows', () => {
    expect(found('tests/fixtures/runtimes', 'mean-colour')).toEqual([
      [],
      [expect.stringContaining('train with fewer images, or ask')],
    ]);
  });
});
