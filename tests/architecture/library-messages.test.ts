import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { Client } from 'minio';
import multer from 'multer';
import sharp from 'sharp';
import { isTransient } from '../../adapters/minio/store-errors.js';
import { isCutOff } from '../../adapters/sharp/cut-off.js';
import { toAppError } from '../../api/http/answers/error-middleware.js';
import { readPlainXml } from '../../formats/xml/plain-xml.js';

/** These libraries give their errors no code, so the product distinguishes them by their words. Each is provoked here. */
const FORM = 'multipart/form-data; boundary=x';
const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

/** What the form parser throws. @param end of the request, once its body is written */
function formError(type: string, body: string, end: (req: PassThrough) => unknown): Promise<Error> {
  const req = Object.assign(new PassThrough(), {
    headers: { 'content-type': type, 'content-length': String(Math.max(1, body.length)) },
  });
  const thrown = new Promise<Error>((resolve) => {
    const parse = multer({ storage: multer.memoryStorage() }).single('file');
    parse(req as unknown as Request, {} as Response, (error) => resolve(error as Error));
  });
  req.write(body, () => end(req));
  return thrown;
}
const answerOf = (error: Error, isGone: boolean) =>
  toAppError(error, { destroyed: isGone, headers: {} } as unknown as Request);

describe('what the form parser throws', () => {
  it.each<[string, string, string, string]>([
    ['a body without a boundary', 'multipart/form-data', PART, 'Multipart: Boundary not found'],
    ['a broken header of a part', FORM, '--x\r\n: a\r\n\r\nb\r\n--x--', 'Malformed part header'],
    ['a form that ends within a file', FORM, `${PART}abc`, 'Unexpected end of form'],
    ['a form that ends before a part', FORM, '--x\r\n', 'Unexpected end of form'],
    ['a type that is broken', 'multipart/form-data;x= b', PART, 'Malformed content type'],
    [
      'another kind of parts',
      'multipart/mixed; boundary=x',
      PART,
      'Unsupported content type: multipart/mixed; boundary=x',
    ],
  ])('of %s is a broken body', async (_what, type, body, message) => {
    const error = await formError(type, body, (req) => req.end());
    expect(error.message).toBe(message);
    expect(answerOf(error, false)).toMatchObject({
      code: 'unprocessable_entity',
      message: 'The multipart body is broken; send it again.',
    });
  });

  it.each<[string, (req: PassThrough) => unknown, string]>([
    ['is aborted', (req) => req.emit('aborted') && req.destroy(), 'Request aborted'],
    ['is closed', (req) => req.destroy(), 'Request closed'],
  ])('of a request that %s is a closed connection', async (_what, end, message) => {
    const error = await formError(FORM, `${PART}abc`, end);
    expect(error.message).toBe(message);
    expect(answerOf(error, true)).toMatchObject({
      code: 'bad_request',
      message: 'The connection was closed before the whole body came; send it again.',
    });
  });
});

describe('what the client of the object store throws', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    jest.restoreAllMocks();
  });

  it.each([408, 429, 500, 502, 503, 504])('after its repeats of %d may be repeated', async (status) => {
    jest.spyOn(console, 'warn').mockReturnValue();
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const keys = { accessKey: 'k', secretKey: 's', region: 'us-east-1' };
    const client = new Client({ endPoint: '127.0.0.1', port, useSSL: false, ...keys });
    const error = await client.statObject('bucket', 'a').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining(`Retryable HTTP status: ${status}`) });
    expect(error).not.toHaveProperty('code');
    expect(isTransient(error)).toBe(true);
  });
});

describe('what the decoder throws', () => {
  it.each([
    ['JPEG', 'jpeg', /premature end/],
    ['GIF', 'gif', /unexpected end/i],
  ] as const)('of a %s that is cut off says so', async (_format, format, words) => {
    const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
    const create = { width: 90, height: 60, channels: 3, background: '#468', noise } as const;
    const whole = await sharp({ create }).toFormat(format).toBuffer();
    const cut = whole.subarray(0, Math.floor(whole.length * 0.6));
    const error = await sharp(cut, { failOn: 'error' })
      .raw()
      .toBuffer()
      .then(
        () => new Error('it was decoded'),
        (thrown: Error) => thrown,
      );
    expect(error.message).toMatch(words);
    expect(isCutOff(cut, error.message)).toBe(true);
  });
});

describe('what the XML parser throws', () => {
  it.each([
    ['<a><!ENTITY x "y"></a>', /document type/],
    ['<a/><!DOCTYPE a>', /document type/],
    ['<a>&unknown;</a>', /entity that is not one of the five/],
    ['<a>&;</a>', /entity that is not one of the five/],
    ['</a>', /not open/],
    ['<a></b></a>', /not open/],
    ['<a/><b/>', /more than one root/],
    ['<a/>text', /outside its root/],
    ['<a>', /ends before/],
    ['<a', /ends before/],
    ['<!-- a -->', /ends before/],
  ])('is put into words of ours: %s', (text, words) => {
    expect(readPlainXml(text).problem).toMatch(words);
  });
});
