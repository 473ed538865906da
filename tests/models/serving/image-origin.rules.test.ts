import { describe, expect, it } from '@jest/globals';
import { originOfImage } from '../../../models/serving/image-origin.rules.js';

describe('who brought the program of an image', () => {
  it('is the platform for the model of a training, and the tenant for all else', () => {
    expect(originOfImage({ kind: 'model', trainingId: 'one' })).toBe('platform');
    expect(originOfImage({ kind: 'model', trainingId: null })).toBe('tenant');
    expect(originOfImage({ kind: 'import', trainingId: null })).toBe('tenant');
  });
});
