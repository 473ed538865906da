import { describe, expect, it } from '@jest/globals';
import { Catalog, taskAvailability } from '../../../models/training/catalog/catalog.js';
import type { FrameworkEntry } from '../../../models/training/catalog/catalog.types.js';

const framework = (title: string, runtime: string | null): FrameworkEntry => ({
  name: title.toLowerCase(),
  title,
  license: 'x',
  optIn: false,
  homepage: 'x',
  needsGpu: false,
  usesGpu: false,
  hasPretrained: false,
  tasks: ['detection'],
  metrics: {},
  exports: [],
  runtime,
  models: [],
});
const here = { runtime: 'a', available: true, reason: null };
const broken = { runtime: 'b', available: false, reason: 'b needs Python.' };

describe('a framework that the catalog knows', () => {
  it('is the runtime of the installation where one brings it', () => {
    const own = { ...framework('Ultralytics', 'ultralytics'), optIn: true };
    const names = (own: readonly FrameworkEntry[]) => new Catalog(own).frameworks.map(({ runtime }) => runtime);
    expect([names([own]), names([])]).toEqual([['ultralytics'], [null]]);
  });
});

describe('a task of the catalog', () => {
  it('can be trained as soon as one framework can', () => {
    expect(taskAvailability([framework('B', 'b'), framework('A', 'a')], [here, broken])).toEqual({
      available: true,
      reason: null,
    });
  });

  it('names the reason of every framework otherwise', () => {
    const { available, reason } = taskAvailability(
      [framework('B', 'b'), framework('C', null)],
      [here, broken],
    );
    expect(available).toBe(false);
    expect(reason).toBe('b needs Python. No runtime for C is part of this installation.');
  });

  it('says so when there is no framework at all', () => {
    expect(taskAvailability([], [here])).toEqual({
      available: false,
      reason: expect.stringMatching(/No framework/),
    });
  });
});
