import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { EdgeKit, type PlayedDevice, within } from './support/edge-kit.js';

describe('transfers of devices that are under way', () => {
  let api: TestApi;
  let kit: EdgeKit;

  beforeAll(async () => {
    api = await startTestApi();
    kit = new EdgeKit(api, await api.addTenant());
  });
  afterAll(() => api.close());

  const SIZE = 1000;

  /** Sends half a chunk. @returns what becomes of the call */
  async function beginChunk(device: PlayedDevice): Promise<{ id: string; ended: Promise<string> }> {
    const made = await device.call('POST', '/uploads', { json: { filename: 'a.bin', size: SIZE } });
    const id = made.body.upload_id as string;
    const { hostname, port } = new URL(api.base);
    const headers = {
      'x-edge-token': device.token,
      'content-type': 'application/octet-stream',
      'content-length': String(SIZE),
    };
    const path = `/api/v1/edge/uploads/${id}/chunks/0`;
    const ended = new Promise<string>((resolve) => {
      const sent = request({ hostname, port, method: 'PUT', path, headers }, (answer) =>
        resolve(String(answer.statusCode)),
      );
      sent.on('error', () => resolve('cut'));
      sent.write(Buffer.alloc(SIZE / 2));
    });
    await sleep(300);
    return { id, ended };
  }

  it.each([
    ['blocked', (id: string) => kit.call('POST', `/devices/${id}/offline`, { json: { blocked: true } })],
    ['revoked', (id: string) => kit.call('POST', `/devices/${id}/token:revoke`)],
    ['deleted', (id: string) => kit.call('DELETE', `/devices/${id}`)],
  ])('are cut when it is %s', async (_, change) => {
    const [device, other] = [await kit.device(), await kit.device()];
    const [cut, kept] = [await beginChunk(device), await beginChunk(other)];
    let keptEnd = 'still open';
    void kept.ended.then((end) => {
      keptEnd = end;
    });
    expect((await change(device.id)).status).toBeLessThan(300);
    const late = sleep(5000, 'still open');
    expect(await Promise.race([cut.ended, late])).toBe('cut');
    expect(keptEnd).toBe('still open');
    expect(await within(1000, async () => (await received(cut.id)) === 0)).toBe(true);
  });

  const received = async (id: string) =>
    (await kit.rows('select 1 from dataset_upload_chunk where upload_id = $1', [id])).length;
});
