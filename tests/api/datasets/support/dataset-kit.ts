import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { ZipFile } from 'yazl';
import type { Answer, TestApi, TestTenant } from '../../support/test-api.js';

/** Calls about datasets of one tenant, as its administrator. */
export class DatasetKit {
  constructor(
    readonly api: TestApi,
    readonly tenant: TestTenant,
    readonly token: string = api.admin.token,
  ) {}

  call(method: string, path: string, options: Parameters<TestApi['call']>[2] = {}): Promise<Answer> {
    return this.api.call(method, `/api/v1/datasets${path}`, {
      token: this.token,
      tenant: this.tenant.code,
      ...options,
    });
  }

  async draft(name = 'Scans'): Promise<string> {
    const answer = await this.call('POST', '/drafts', { json: { name } });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id as string;
  }

  upload(
    dataset: string,
    path: string,
    bytes: Buffer,
    route: 'files' | 'archive' = 'files',
  ): Promise<Answer> {
    const { body, type } = multipart(path, bytes);
    return this.call('POST', `/${dataset}/${route}`, { body, headers: { 'content-type': type } });
  }

  open(dataset: string, json: Record<string, unknown>): Promise<Answer> {
    return this.call('POST', `/${dataset}/uploads`, { json });
  }

  chunk(
    dataset: string,
    upload: string,
    index: number,
    body: Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.call('PUT', `/${dataset}/uploads/${upload}/chunks/${index}`, {
      body,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
  }

  complete(dataset: string, upload: string): Promise<Answer> {
    return this.call('POST', `/${dataset}/uploads/${upload}:complete`);
  }

  /** Reads until `done` holds. */
  async until(
    path: string,
    done: (body: Answer['body']) => boolean,
    timeoutMs = 40_000,
  ): Promise<Answer['body']> {
    for (const end = Date.now() + timeoutMs; ; await sleep(100)) {
      const { body } = await this.call('GET', path);
      if (done(body)) return body;
      if (Date.now() > end) throw new Error(`still ${JSON.stringify(body).slice(0, 600)}`);
    }
  }

  settled(dataset: string): Promise<Answer['body']> {
    return this.until(`/${dataset}`, (body) => body.status === 'FROZEN' || body.status === 'FAILED');
  }

  ended(dataset: string, upload: string): Promise<Answer['body']> {
    return this.until(
      `/${dataset}/uploads/${upload}`,
      (body) => body.state === 'done' || body.state === 'failed',
    );
  }

  /** Keys of all objects of this tenant in the store. */
  async objectKeys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.api.container.objects.list(`t/${this.tenant.id}/`)) keys.push(key);
    return keys;
  }

  /** Keys of the files' objects and of unfinished uploads: what sessions may leave behind. */
  async inStore(): Promise<string[]> {
    const keys = (await this.objectKeys()).filter((key) => !key.includes('manifest'));
    for await (const { key } of this.api.container.objects.listUnfinished(`t/${this.tenant.id}/`))
      keys.push(`unfinished ${key}`);
    return keys.sort();
  }

  query<R extends Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<R[]> {
    return this.api.container.db.inPlatform((tx) => tx.query<R>(sql, params));
  }
}

export function multipart(fileName: string, bytes: Buffer, field = 'file'): { body: Buffer; type: string } {
  const boundary = 'boundary-of-the-tests';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

export const png = (shade: number, width = 8, height = 8): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: { r: shade % 256, g: (shade >> 8) % 256, b: 7 } },
  })
    .png()
    .toBuffer();

export async function zip(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) archive.addBuffer(bytes, name);
  archive.end();
  const pieces: Buffer[] = [];
  for await (const piece of archive.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
