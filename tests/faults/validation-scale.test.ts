import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sharp from 'sharp';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { LIKENESS_VERSION } from '../../core/ports/image-decoder.js';
import { batchSize } from '../../workflows/datasets/dataset-validation.state.js';
import { multipart } from '../api/datasets/support/dataset-kit.js';
import { craftZip } from '../builders/crafted-zip.js';
import { MortalPlatform } from './support/mortal-platform.js';
import { ProcessWatch } from './support/process-watch.js';

/** Files with bytes of their own, and rows beside them that were checked before: `SCALE_FILES=20000 SCALE_ROWS=1000000` measure the sizes a dataset may have. */
const FILES = Number(process.env.SCALE_FILES ?? 1500);
const ROWS = Number(process.env.SCALE_ROWS ?? 20_000);
const FEW = 20;
const MAX_RISE_MIB = 300;

jest.setTimeout(200_000 + 20 * FILES + ROWS);

describe(`a validation of ${FILES} files in a dataset of ${FILES + ROWS}`, () => {
  let platform: MortalPlatform;
  let engine: ManagedWorkflowEngine;
  let image: Buffer;
  beforeAll(async () => {
    platform = await MortalPlatform.start();
    engine = createWorkflowEngine({
      address: platform.env.TEMPORAL_ADDRESS ?? '',
      namespace: platform.env.TEMPORAL_NAMESPACE ?? '',
    });
    image = await sharp({
      create: {
        width: 24,
        height: 16,
        channels: 3,
        background: '#468',
        noise: { type: 'gaussian', mean: 120, sigma: 50 },
      },
    })
      .jpeg()
      .toBuffer();
  });
  afterAll(async () => {
    await engine?.close();
    await platform?.close();
  });

  const archive = (count: number) =>
    craftZip(
      Array.from({ length: count }, (_, n) => {
        const number = Buffer.alloc(4);
        number.writeUInt32LE(n);
        return { name: `class-${n % 250}/${n}.jpg`, bytes: Buffer.concat([image, number]) };
      }),
    );

  /** Uploads, waits for the verdict. @returns what the dataset is then, and how its last validation went */
  async function validated(
    name: string,
    files: number,
    prepare: (dataset: string) => Promise<void> = async () => undefined,
  ) {
    const dataset = (await platform.ask('POST', '/datasets/drafts', { name })).body.id as string;
    await prepare(dataset);
    const { body, type } = multipart('all.zip', archive(files));
    const uploaded = await platform.send('POST', `/datasets/${dataset}/archive`, body, type);
    expect(uploaded.body).toMatchObject({ created: files });
    const watch = new ProcessWatch([platform.pids.worker]);
    const begin = performance.now();
    const end = await platform.until(
      `/datasets/${dataset}`,
      ({ status }) => status === 'FROZEN' || status === 'FAILED',
      180_000 + 20 * FILES + ROWS,
    );
    watch.end();
    const [row] = await platform.query<{ id: string; tenant_id: string; validation_attempt: number }>(
      'select id, tenant_id, validation_attempt from dataset where key = $1',
      [dataset],
    );
    const history = await engine.client.workflow
      .getHandle(`dataset-validation:${row?.tenant_id}:${row?.id}:${row?.validation_attempt}`)
      .fetchHistory();
    const events = history.events?.length ?? 0;
    if (process.env.SCALE_FILES)
      process.stdout.write(
        `${files} files of ${end.file_count}: ${Math.round((performance.now() - begin) / 1000)} s, ${events} events, ${watch.risesMb} MB more\n`,
      );
    return { end, events, riseMb: watch.risesMb[0] as number };
  }

  /** Rows as a validation leaves them: distinct bytes, distinct likenesses, in 250 folders of three parts. */
  const addCheckedRows = async (dataset: string): Promise<void> => {
    await platform.query(
      `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, status, width, height, phash, tones, likeness_version, split, added_revision)
       select d.tenant_id, d.id, 'rows-' || n % 250 || '/' || md5(n::text) || '.jpg', encode(sha256(n::text::bytea), 'hex'), 1000, 't/' || d.tenant_id || '/dataset/' || gen_random_uuid(), 'image/jpeg', 'image',
         'rows-' || n % 250, 'valid', 640, 480, hashtextextended(n::text, 1), substring(decode(repeat(md5(n::text), 14), 'hex') for 216), ${LIKENESS_VERSION}, null, 1
       from dataset d, generate_series(1, $2::int) as n where d.key = $1`,
      [dataset, ROWS],
    );
    await platform.query(
      'update dataset set file_count = file_count + $2, file_bytes = file_bytes + 1000 * $2::bigint, revision = revision + 1 where key = $1',
      [dataset, ROWS],
    );
  };

  it('takes a history that grows with the batches alone, and bounded memory', async () => {
    const few = await validated('Few', FEW);
    expect(few.end).toMatchObject({ status: 'FROZEN', file_count: FEW });
    const many = await validated('Many', FILES, addCheckedRows);
    expect(many.end).toMatchObject({ status: 'FROZEN', file_count: FILES + ROWS });
    expect(many.end.validation.stats.images).toBe(FILES + ROWS);
    const batches = (files: number) => Math.ceil(files / batchSize(files));
    // A task of the workflow, its end, the activity asked for, begun and ended; the last one that finds nothing more.
    expect(many.events - few.events).toBeLessThanOrEqual(6 * (batches(FILES) - batches(FEW) + 1) + 5);
    expect(many.events).toBeLessThan(1500);
    expect(many.riseMb).toBeLessThanOrEqual(MAX_RISE_MIB);
  });
});
