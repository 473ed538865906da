import { describe, expect, it } from '@jest/globals';
import { firstCall, withReadyImage } from '../../../web/src/serving/fresh/served.js';

const VERSION = { kind: 'version', name: 'line 3/digits', version: 2 } as const;
const READY = { id: 'i1', status: 'READY' } as const;

describe('a version that is to be served', () => {
  it('is served by its image where that is ready, so that nothing has to be built', () => {
    expect(withReadyImage(VERSION, READY)).toEqual({ kind: 'image', id: 'i1' });
  });

  it.each([
    undefined,
    null,
    { id: 'i1', status: 'BUILDING' } as const,
    { id: 'i1', status: 'FAILED' } as const,
  ])('is built first where its image is %j', (image) => {
    expect(withReadyImage(VERSION, image)).toEqual(VERSION);
  });
});

it('leaves an image that somebody has chosen, and nothing at all', () => {
  const image = { kind: 'image', id: 'i7' } as const;
  expect(withReadyImage(image, READY)).toEqual(image);
  expect(withReadyImage(null, READY)).toBeNull();
});

it('copies the call that is made', () => {
  const fields = { name: 'digits', replicas: 1 };
  expect(firstCall({ kind: 'image', id: 'i1' }, fields)).toEqual({
    method: 'POST',
    path: '/api/v1/serving/endpoints',
    body: { name: 'digits', replicas: 1, image_id: 'i1' },
  });
  expect(firstCall(VERSION, fields).path).toBe('/api/v1/models/line%203%2Fdigits/2/image');
});
