import { request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.base + path, { redirect: 'manual', headers });

const scriptOf = async (): Promise<string> => {
  const page = await (await get('/console/')).text();
  return /src="(\/console\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
};

describe('the web console', () => {
  it('knows where Temporal shows the workflows of the platform, where the installation says so', async () => {
    const reported = async ({ base }: TestApi) => (await fetch(`${base}/console/installation.json`)).json();
    expect(await reported(api)).toEqual({ workflows: null });
    const other = await startTestApi({ TEMPORAL_UI_URL: 'https://temporal.example/ui/' });
    try {
      const { TEMPORAL_NAMESPACE: namespace } = other.container.settings;
      expect(await reported(other)).toEqual({
        workflows: `https://temporal.example/ui/namespaces/${namespace}/workflows`,
      });
    } finally {
      await other.close();
    }
  });

  it('is one page for every address that names no file', async () => {
    const page = await (await get('/console/')).text();
    expect(page).toContain('<div id="root"></div>');
    for (const path of ['/console/sign-in', '/console/t/demo/datasets/some.name'])
      expect(await (await get(path)).text()).toBe(page);
    expect((await get('/console')).headers.get('location')).toBe('/console/');
    expect((await api.call('GET', '/')).text).toContain('href="/console/"');
  });

  it('runs scripts of its own alone, and none that stand in the page', async () => {
    const answer = await get('/console/');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)/);
  });

  it('is looked for anew as a page and kept for a year as files, whose names change with their bytes', async () => {
    const script = await scriptOf();
    expect((await get('/console/')).headers.get('cache-control')).toBe('no-cache');
    const answer = await get(script);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('javascript');
    expect(answer.headers.get('cache-control')).toContain('immutable');
  });

  it('sends the smallest form that the browser reads', async () => {
    const script = await scriptOf();
    const plain = await get(script, { 'Accept-Encoding': 'identity' });
    const text = await plain.text();
    const forms: Record<string, number> = {};
    for (const encoding of ['br', 'gzip']) {
      const { headers, body } = await raw(script, encoding);
      expect(headers.get('content-encoding')).toBe(encoding);
      expect(headers.get('vary')).toContain('Accept-Encoding');
      forms[encoding] = body.length;
      if (encoding === 'br') expect(brotliDecompressSync(body).toString()).toBe(text);
    }
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(forms.br).toBeLessThan(forms.gzip ?? 0);
    expect(forms.gzip).toBeLessThan(text.length);
  });

  it('opens nothing but what the build wrote', async () => {
    const outside = [
      'assets/none.js',
      'assets/..%2Findex.html',
      'assets/../../package.json',
      '..%2f..%2fpackage.json',
    ];
    for (const path of outside) {
      const answer = await get(`/console/${path}`);
      expect(await answer.text()).not.toContain('"dependencies"');
      expect([200, 404, 400]).toContain(answer.status);
    }
    expect((await get('/console/assets/none.js')).status).toBe(404);
    expect(await (await get('/console/.build-stamp')).text()).toContain('<div id="root">');
  });
});

/** Bytes as they were sent: fetch takes compressed ones apart. */
async function raw(path: string, encoding: string) {
  return new Promise<{ headers: Headers; body: Buffer }>((resolve, reject) => {
    const call = request(api.base + path, { headers: { 'Accept-Encoding': encoding } }, (res) => {
      const parts: Buffer[] = [];
      res.on('data', (part: Buffer) => parts.push(part));
      res.on('end', () =>
        resolve({ headers: new Headers(res.headers as Record<string, string>), body: Buffer.concat(parts) }),
      );
    });
    call.on('error', reject).end();
  });
}
