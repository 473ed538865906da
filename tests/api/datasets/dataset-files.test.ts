import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { type DatasetKit, png } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the files of a dataset', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
  });
  afterAll(() => lab?.close());

  it('skips the same bytes under the same path and refuses others with 409', async () => {
    const id = await kit.draft('Same');
    const first = await kit.upload(id, 'x//./y.png', await png(9));
    expect(first.body.path).toBe('x/y.png');
    const second = await kit.upload(id, 'x/y.png', await png(9));
    expect(second).toMatchObject({ status: 201, body: { id: first.body.id } });
    expect((await kit.upload(id, 'x/y.png', await png(10))).status).toBe(409);
    expect((await kit.upload(id, 'x', await png(10))).status).toBe(409);
    expect((await kit.upload(id, 'x/y.png/z', await png(10))).status).toBe(409);
    expect((await kit.call('GET', `/${id}`)).body).toMatchObject({
      file_count: 1,
      size_bytes: first.body.size_bytes,
    });
  });

  it.each(['../a.png', '/a.png', 'a/../../b.png', 'C:/x.png', 'a\\b.png', 'a/', '.', 'x'.repeat(300)])(
    'refuses the file name %j',
    async (name) => {
      const id = await kit.draft('Names');
      expect((await kit.upload(id, name, Buffer.from('x'))).status).toBe(422);
      expect((await kit.call('GET', `/${id}`)).body.file_count).toBe(0);
    },
  );

  it('takes an empty file, refuses a form without one, and a body that is no form', async () => {
    const id = await kit.draft('Forms');
    expect((await kit.upload(id, 'empty.txt', Buffer.alloc(0))).body).toMatchObject({
      size_bytes: 0,
      kind: 'annotation',
    });
    expect((await kit.call('POST', `/${id}/files`, { json: {} })).status).toBe(415);
    const empty = '--b\r\n\r\n--b--\r\n';
    expect(
      (
        await kit.call('POST', `/${id}/files`, {
          body: empty,
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
        })
      ).status,
    ).toBe(422);
    expect((await kit.upload('no-such', 'a.png', Buffer.from('x'))).status).toBe(404);
  });

  it('sends bytes with ETag, Range, download names and never shows active content in place', async () => {
    const id = await kit.draft('Bytes');
    const bytes = await png(77, 40, 30);
    const { body: file } = await kit.upload(id, 'a/bild ü.png', bytes);
    const content = `/${id}/files/${file.id}/content`;
    const whole = await kit.call('GET', content);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('etag')).toBe(`"${sha256(bytes)}"`);
    expect(whole.headers.get('content-type')).toBe('image/png');
    expect(whole.headers.get('content-disposition')).toMatch(
      /^inline; .*filename\*=UTF-8''bild%20%C3%BC\.png/,
    );
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await kit.call('GET', `${content}?download=true`)).headers.get('content-disposition')).toMatch(
      /^attachment/,
    );
    expect(
      (await kit.call('GET', content, { headers: { 'if-none-match': `"x", W/"${sha256(bytes)}"` } })).status,
    ).toBe(304);
    const part = await kit.call('GET', content, { headers: { range: 'bytes=1-3' } });
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
      206,
      'PNG',
      `bytes 1-3/${bytes.length}`,
    ]);
    const etag = `"${sha256(bytes)}"`;
    for (const [ifRange, status, length] of [
      [etag, 206, 3],
      [`"${sha256(Buffer.from('other'))}"`, 200, bytes.length],
      // RFC 9110, 13.1.5: compared strongly, so a weak one never fits.
      [`W/${etag}`, 200, bytes.length],
    ] as const) {
      const given = await kit.call('GET', content, { headers: { range: 'bytes=1-3', 'if-range': ifRange } });
      expect([ifRange, given.status, given.headers.get('content-length')]).toEqual([
        ifRange,
        status,
        String(length),
      ]);
      expect(given.headers.get('content-range')).toBe(status === 206 ? `bytes 1-3/${bytes.length}` : null);
    }
    const beyond = await kit.call('GET', content, { headers: { range: `bytes=${bytes.length}-` } });
    expect([beyond.status, beyond.body.code, beyond.headers.get('content-range')]).toEqual([
      416,
      'range_not_satisfiable',
      `bytes */${bytes.length}`,
    ]);
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      '<!DOCTYPE html><script>alert(1)</script>',
    ]) {
      const { body: active } = await kit.upload(id, `active-${text.length}.png`, Buffer.from(text));
      expect(active.kind).toBe('other');
      const sent = await kit.call('GET', `/${id}/files/${active.id}/content`);
      expect(sent.headers.get('content-type')).toBe('application/octet-stream');
      expect(sent.headers.get('content-disposition')).toMatch(/^attachment/);
    }
  });

  it('makes an upright bounded preview once and keeps it', async () => {
    const id = await kit.draft('Preview');
    const lying = await sharp({ create: { width: 1000, height: 600, channels: 3, background: '#456' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { body: file } = await kit.upload(id, 'a/lying.jpg', lying);
    const preview = () =>
      fetch(`${api.base}/api/v1/datasets/${id}/files/${file.id}/content?variant=preview`, {
        headers: { authorization: `Bearer ${kit.token}`, 'x-tenant': kit.tenant.code },
      });
    for (let i = 0; i < 2; i += 1) {
      const answer = await preview();
      expect(answer.headers.get('content-type')).toBe('image/webp');
      const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
      expect([width, height]).toEqual([307, 512]);
    }
    const { body: text } = await kit.upload(id, 'a/notes.txt', Buffer.from('notes'));
    expect((await kit.call('GET', `/${id}/files/${text.id}/content?variant=preview`)).status).toBe(422);
    expect((await kit.call('GET', `/${id}/files/${text.id}/content?variant=other`)).status).toBe(422);
  });
});
