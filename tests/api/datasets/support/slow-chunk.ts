import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from '../../support/test-api.js';
import type { DatasetKit } from './dataset-kit.js';

/** The second chunk of a session, whose last byte waits until it is asked to come. */
export function slowChunk(
  kit: DatasetKit,
  dataset: string,
  upload: string,
  bytes: Buffer,
): { finish(): Promise<Pick<Answer, 'status' | 'body'>> } {
  const url = `${kit.api.base}/api/v1/datasets/${dataset}/uploads/${upload}/chunks/1`;
  const headers = {
    authorization: `Bearer ${kit.token}`,
    'x-tenant': kit.tenant.code,
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
  };
  const req = request(url, { method: 'PUT', headers });
  const answered = new Promise<Pick<Answer, 'status' | 'body'>>((resolve, reject) => {
    req.on(
      'response',
      (answer) =>
        void text(answer).then(
          (body) => resolve({ status: answer.statusCode as number, body: JSON.parse(body) }),
          reject,
        ),
    );
    req.on('error', reject);
  });
  req.write(bytes.subarray(0, -1));
  return {
    finish: () => {
      req.end(bytes.subarray(-1));
      return answered;
    },
  };
}
