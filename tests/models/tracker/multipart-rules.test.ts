import { describe, expect, it } from '@jest/globals';
import {
  fileNameOf,
  isReachable,
  readUploadId,
  uploadIdOf,
} from '../../../api/mlflow/artifacts/multipart.rules.js';

describe('artifacts in parts', () => {
  it.each([
    ['http://127.0.0.1:9000/b/k', '127.0.0.1:8080', true],
    ['http://127.0.0.1:9000/b/k', 'localhost:8080', true],
    ['http://[::1]:9000/b/k', '[::1]:8080', true],
    ['http://127.0.0.1:9000/b/k', 'mlops.example.com', false],
    ['http://localhost:9000/b/k', '127.0.0.1.example.com', false],
    ['https://s3.example.com/b/k', 'mlops.example.com', true],
    ['http://127.0.0.1:9000/b/k', '', false],
  ])('go to %s for a client of %s: %s', (address, host, expected) => {
    expect(isReachable(address, host)).toBe(expected);
  });

  it('have an id that holds the key and that of the store', () => {
    const key = { id: '0a1b2c3d-0000-4000-8000-000000000000', multipartId: 'a.b~c_D-1' };
    expect(readUploadId(uploadIdOf(key))).toEqual(key);
    for (const text of ['', 'x', `${key.id}.`, `../${key.id}.a`, `${key.id}.a b`])
      expect(() => readUploadId(text)).toThrow(/mpu\/create/);
  });

  it.each(['C:\\models\\a.bin', '/home/me/a.bin', 'a.bin'])('have the name of the file: %s', (path) => {
    expect(fileNameOf(path)).toBe('a.bin');
  });
});
