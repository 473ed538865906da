import { Client } from 'minio';
import { BenchClient, eachOf } from './http-client.js';
import type { PlatformFacts } from './platform.js';

const BUCKET = 'visionops';
const MINUTES = 60;

/** The platform's object store without the platform: presigned requests by the client that drives the other side too. */
export class DirectStore {
  private readonly http = new BenchClient();
  private readonly s3: Client;

  constructor(facts: PlatformFacts) {
    const { hostname, port } = new URL(facts.s3_endpoint);
    this.s3 = new Client({
      endPoint: hostname,
      port: Number(port),
      useSSL: false,
      accessKey: facts.s3_access_key,
      secretKey: facts.s3_secret_key,
      region: 'us-east-1',
    });
  }

  async put(key: string, body: Buffer): Promise<void> {
    await this.http.send('PUT', await this.s3.presignedUrl('PUT', BUCKET, key, 10 * MINUTES), body);
  }

  /** One multipart upload of so many equal parts. */
  async putParts(key: string, part: Buffer, count: number, atOnce: number): Promise<void> {
    const id = await this.s3.initiateNewMultipartUpload(BUCKET, key, {});
    const parts: { part: number; etag: string }[] = [];
    await eachOf(count, atOnce, async (index) => {
      const query = { partNumber: String(index + 1), uploadId: id };
      const { etag } = await this.http.send(
        'PUT',
        await this.s3.presignedUrl('PUT', BUCKET, key, 10 * MINUTES, query),
        part,
      );
      parts[index] = { part: index + 1, etag };
    });
    await this.s3.completeMultipartUpload(BUCKET, key, id, parts);
  }

  async sha256Of(key: string): Promise<string> {
    return this.http.sha256Of(await this.s3.presignedUrl('GET', BUCKET, key, 10 * MINUTES));
  }

  async drain(key: string): Promise<number> {
    return this.http.drain(await this.s3.presignedUrl('GET', BUCKET, key, 10 * MINUTES));
  }

  async removeAll(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += 500)
      await this.s3.removeObjects(BUCKET, keys.slice(at, at + 500));
  }

  close(): void {
    this.http.close();
  }
}
