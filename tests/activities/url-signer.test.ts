import { describe, expect, it } from '@jest/globals';
import { Client } from 'minio';
import { UrlSigner } from '../../activities/adapters/minio/url-signer.js';

describe('presigned URLs', () => {
  const keys = { accessKey: 'AK+IA/x=', secretKey: 's/e+c=ret' };
  const partsOf = (url: string) => {
    const { origin, pathname, searchParams } = new URL(url);
    return { origin, pathname, query: Object.fromEntries(searchParams) };
  };

  it.each([
    ['http://127.0.0.1:9000', 'us-east-1'],
    ['https://s3.example.org', 'eu-central-1'],
    ['https://s3.example.org:443', 'eu-central-1'],
    ['http://store:80/', 'us-east-1'],
  ])('are those of the S3 client at %s', async (endpoint, region) => {
    const url = new URL(endpoint);
    const useSSL = url.protocol === 'https:';
    const client = new Client({ endPoint: url.hostname, port: url.port ? Number(url.port) : useSSL ? 443 : 80, useSSL, region, pathStyle: true, ...keys });
    const signer = new UrlSigner({ endpoint, region, bucket: 'visionops', ...keys });
    const queries: ReadonlyArray<Record<string, string>> = [{}, { partNumber: '1', uploadId: "a+b/=(c)!*'~" }];
    const key = 't/4f2c/dataset/a_b-c.d';
    for (const now of ['2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00Z', '2026-11-22T08:01:02Z'].map((time) => new Date(time))) {
      for (const query of queries) {
        for (const method of ['GET', 'PUT'] as const)
          expect(partsOf(signer.sign(method, key, 900, query, now))).toEqual(partsOf(await client.presignedUrl(method, 'visionops', key, 900, query, now)));
      }
    }
  });

  it('go to the host of the region where the endpoint is that of all regions', () => {
    const hostAt = (endpoint: string) => new URL(new UrlSigner({ endpoint, region: 'eu-central-1', bucket: 'b', ...keys }).sign('GET', 'k', 60)).host;
    expect(['https://s3.amazonaws.com', 'https://s3.us-west-2.amazonaws.com', 'https://[::1]:9000'].map(hostAt)).toEqual([
      's3.eu-central-1.amazonaws.com',
      's3.us-west-2.amazonaws.com',
      '[::1]:9000',
    ]);
  });
});
