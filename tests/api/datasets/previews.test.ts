import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createImageDecoder } from '../../../adapters/sharp/sharp-image-decoder.js';
import { FileContentService } from '../../../api/datasets/file-content.service.js';
import type { Caller } from '../../../api/http/routing/request-context.js';
import { DatasetKit, png } from './support/dataset-kit.js';
import { openDatasetKit, type OpenKit } from './support/open-dataset-kit.js';

const MIB = 2 ** 20;

describe('many previews at once', () => {
  let lab: OpenKit;
  let api: OpenKit['api'];
  let kit: DatasetKit;
  let dataset: string;
  beforeAll(async () => {
    lab = await openDatasetKit();
    ({ api, kit } = lab);
    dataset = await kit.draft('Previews');
  });
  afterAll(() => lab?.close());

  /** Comes again when asked to, as clients do: a store or a decoder on a busy machine may be late. */
  const previewOf = async (file: string, headers: Record<string, string> = {}) => {
    const ask = () => kit.call('GET', `/${dataset}/files/${file}/content?variant=preview`, { headers });
    for (let left = 5; ; left -= 1) {
      const answer = await ask();
      if (answer.status !== 503 || left === 0) return answer;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  const add = async (path: string, bytes: Buffer) =>
    (await kit.upload(dataset, path, bytes)).body as { id: string; sha256: string };

  it('of one large file are one job with one copy of it in memory', async () => {
    const file = await add('a/large.png', Buffer.concat([await png(3, 64, 64), Buffer.alloc(60 * MIB)]));
    global.gc?.();
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    const answers = await Promise.all(Array.from({ length: 30 }, () => previewOf(file.id)));
    clearInterval(watch);
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect((peak - before) / MIB).toBeLessThan(300);
  }, 60_000);

  it('read nothing while they wait, and are asked to come again beyond a short queue', async () => {
    const files: string[] = [];
    for (let n = 0; n < 35; n += 1) files.push((await add(`b/${n}.png`, await png(n, 16, 16))).id);
    const decoder = createImageDecoder();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const slowed = {
      check: decoder.check,
      preview: async (read: () => Promise<Buffer>, side: number) => {
        asked += 1;
        await gate;
        return decoder.preview(read, side);
      },
    };
    const service = new FileContentService(api.container.db, api.container.objects, slowed);
    const caller = { tenant: { tenantId: kit.tenant.id } } as Caller;
    const make = async (file: string) => (await service.preview(caller, dataset, file, false)).make();
    const pending = Promise.allSettled([...files, files[0] as string].map(make));
    while (asked < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // One place is left to others: another tenant comes before what the first still waits for.
    expect(asked).toBe(1);
    const theirs = new DatasetKit(api, await api.addTenant());
    const foreign = await theirs.draft('Theirs');
    const { id } = (await theirs.upload(foreign, 'e/1.png', await png(99, 16, 16))).body as { id: string };
    const preview = await service.preview(
      { tenant: { tenantId: theirs.tenant.id } } as Caller,
      foreign,
      id,
      false,
    );
    const other = preview.make().then(() => asked);
    open();
    expect(await other).toBeLessThan(16);
    const results = await pending;
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(asked).toBe(33);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'service_unavailable', options: { retryAfterS: 2 } });
  }, 60_000);

  it('and originals leave nothing of the file in the headers of an error', async () => {
    const file = await add('d/lost.png', await png(78, 16, 16));
    const [row] = await kit.query<{ object_key: string }>(
      'select object_key from dataset_file where id = $1',
      [file.id],
    );
    await api.container.objects.remove([row?.object_key ?? '']);
    for (const variant of ['preview', 'original']) {
      const answer = await fetch(
        `${api.base}/api/v1/datasets/${dataset}/files/${file.id}/content?variant=${variant}`,
        {
          headers: { authorization: `Bearer ${kit.token}`, 'x-tenant': kit.tenant.code },
        },
      );
      const reported = ['etag', 'cache-control', 'accept-ranges', 'content-disposition', 'content-type'].map(
        (name) => answer.headers.get(name),
      );
      expect([answer.status, ...reported]).toEqual([
        404,
        null,
        null,
        null,
        null,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it('are not made for who has them already', async () => {
    const file = await add('c/known.png', await png(77, 16, 16));
    const answer = await previewOf(file.id, { 'if-none-match': `"${file.sha256}-512"` });
    expect(answer.status).toBe(304);
    expect(await kit.query('select preview_key from dataset_file where id = $1', [file.id])).toEqual([
      { preview_key: null },
    ]);
  });
});
