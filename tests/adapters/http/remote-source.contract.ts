import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RemoteEndpoint, RemoteFile, RemoteSource } from '../../../core/ports/remote-source.js';

export interface SourceUnderTest {
  readonly source: RemoteSource;
  readonly endpoint: RemoteEndpoint;
  /** That of the only dataset that it has. */
  readonly datasetId: string;
  /** Its files in the order of the manifest, of them `large` and `empty`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Path of a file of at least 70,000 bytes, and of one without bytes. */
  readonly large: string;
  readonly empty: string;
  close(): Promise<void>;
}

/** What every remote source does, whatever is behind it. */
export function describeRemoteSource(name: string, open: () => Promise<SourceUnderTest>): void {
  describe(`a remote source: ${name}`, () => {
    let under: SourceUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.close());

    const bytesFrom = async (path: string, offset: number): Promise<Buffer> => {
      const stream = await under.source.openFile(under.endpoint, under.datasetId, path, offset);
      return Buffer.concat(await stream.toArray());
    };

    it('lists its dataset with the count and size of its files', async () => {
      const query = { page: 1, pageSize: 50 };
      const { items, total } = await under.source.listDatasets(under.endpoint, query);
      const sizeBytes = [...under.files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
      expect(total).toBe(1);
      expect(items).toMatchObject([{ id: under.datasetId, fileCount: under.files.size, sizeBytes }]);
      expect((await under.source.listDatasets(under.endpoint, { ...query, page: 2 })).items).toEqual([]);
    });

    it('names every file of a manifest with size and hash, in order', async () => {
      const files: RemoteFile[] = [];
      for await (const file of under.source.readManifest(under.endpoint, under.datasetId)) files.push(file);
      expect(files).toEqual(
        [...under.files].map(([path, bytes]) => ({
          path,
          sizeBytes: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        })),
      );
    });

    it.each([0, 1, 65_536, 69_999])('gives the bytes of a file from offset %d on', async (offset) => {
      const wanted = (under.files.get(under.large) as Buffer).subarray(offset);
      expect((await bytesFrom(under.large, offset)).equals(wanted)).toBe(true);
    });

    it('gives an empty file as no bytes', async () => {
      expect(await bytesFrom(under.empty, 0)).toHaveLength(0);
    });

    it('says that a file or a dataset is missing', async () => {
      const missing = { code: 'bad_gateway', detail: { reason: 'missing' } };
      await expect(bytesFrom('a/none.png', 0)).rejects.toMatchObject(missing);
      const manifest = under.source.readManifest(under.endpoint, 'none')[Symbol.asyncIterator]();
      await expect(manifest.next()).rejects.toMatchObject(missing);
    });

    it('throws the reason of the signal that ends a call', async () => {
      const signal = AbortSignal.abort(new Error('the sync was canceled'));
      const { source, endpoint, datasetId, large } = under;
      await expect(source.openFile(endpoint, datasetId, large, 0, signal)).rejects.toBe(signal.reason);
      const manifest = source.readManifest(endpoint, datasetId, signal)[Symbol.asyncIterator]();
      await expect(manifest.next()).rejects.toBe(signal.reason);
      await expect(source.listDatasets(endpoint, { page: 1, pageSize: 50 }, signal)).rejects.toBe(
        signal.reason,
      );
    });
  });
}
