import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export interface SigningOptions {
  /** Such as `http://127.0.0.1:9000`; of its path nothing is used. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
}

/** Of Amazon, which takes calls to the buckets of its first region alone: the others have hosts of their own. */
const GLOBAL_HOST = /^s3\.amazonaws\.com$/;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Presigned URLs by Signature Version 4 in the query, path style, with an unsigned payload
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html). The key of a day is derived once: the
 * S3 client derives it for every URL, which is an eighth of what a small upload costs the API.
 */
export class UrlSigner {
  private readonly origin: string;
  private readonly host: string;
  private derived: { readonly day: string; readonly key: KeyObject } | null = null;

  constructor(private readonly options: SigningOptions) {
    const { protocol, host } = new URL(options.endpoint);
    this.host = GLOBAL_HOST.test(host) ? host.replace('s3.', `s3.${options.region}.`) : host;
    this.origin = `${protocol}//${this.host}`;
  }

  /** @param key of the object, as `checkKey` lets it pass: nothing in it needs to be encoded */
  sign(method: 'GET' | 'PUT', key: string, expiresInS: number, query: Readonly<Record<string, string>> = {}, now = new Date()): string {
    const { accessKey, bucket, region } = this.options;
    const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/s3/aws4_request`;
    const path = `/${bucket}/${key}`;
    const asked = {
      ...query,
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Credential': `${accessKey}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(expiresInS),
      'X-Amz-SignedHeaders': 'host',
    };
    const search = Object.entries(asked)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&');
    const request = `${method}\n${path}\n${search}\nhost:${this.host}\n\nhost\nUNSIGNED-PAYLOAD`;
    const text = `${ALGORITHM}\n${time}\n${scope}\n${createHash('sha256').update(request).digest('hex')}`;
    return `${this.origin}${path}?${search}&X-Amz-Signature=${createHmac('sha256', this.keyOf(day)).update(text).digest('hex')}`;
  }

  private keyOf(day: string): KeyObject {
    if (this.derived?.day !== day) {
      const steps = [day, this.options.region, 's3', 'aws4_request'];
      const key = steps.reduce<Buffer | string>((secret, step) => createHmac('sha256', secret).update(step).digest(), `AWS4${this.options.secretKey}`);
      this.derived = { day, key: createSecretKey(key as Buffer) };
    }
    return this.derived.key;
  }
}

/** RFC 3986, which leaves fewer characters as they are than `encodeURIComponent` does. */
const encode = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
