import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { InOrderHashes } from '../../../api/datasets/in-order-hashes.js';
import { chainEtags } from '../../../models/datasets/chunk-chain.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('hashes of sessions whose chunks come in order', () => {
  const send = (hashes: InOrderHashes, index: number, text: string) => {
    const hash = hashes.begin('u', index);
    hash?.update(Buffer.from(text));
    return () => hash?.keep(`etag of ${text}`) ?? null;
  };

  it('are those of all bytes so far, and name the chunks', () => {
    const hashes = new InOrderHashes();
    expect(send(hashes, 0, 'X')()).toEqual({ sha256: sha256('X'), chain: chainEtags(['etag of X']) });
    expect(send(hashes, 1, '1')()).toEqual({ sha256: sha256('X1'), chain: chainEtags(['etag of X', 'etag of 1']) });
    expect(chainEtags(['etag of Y', 'etag of 1'])).not.toBe(chainEtags(['etag of X', 'etag of 1']));
  });

  it('are unknown when a chunk was sent again, even twice, while the next was on its way', () => {
    const hashes = new InOrderHashes();
    send(hashes, 0, 'X')();
    const next = send(hashes, 1, '1');
    send(hashes, 0, 'Y')();
    send(hashes, 0, 'Y')();
    expect(next()).toBeNull();
    expect(send(hashes, 2, '2')()).toBeNull();
  });

  it('are unknown when a chunk came twice at once', () => {
    const hashes = new InOrderHashes();
    const [one, two] = [send(hashes, 0, 'X'), send(hashes, 0, 'Y')];
    expect(two()).not.toBeNull();
    expect(one()).toBeNull();
    expect(send(hashes, 1, '1')()).toBeNull();
  });
});
