import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';

interface Parameter {
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[] };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
}

interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface PageOptions {
  readonly filter?: boolean;
  readonly requestInterceptor?: (request: SentRequest) => SentRequest;
}

let api: TestApi;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
beforeAll(async () => {
  api = await startTestApi();
  paths = (await api.call('GET', '/openapi.json')).body.paths;
});
afterAll(() => api.close());

const sortOf = (path: string) => paths[path]?.get?.parameters.find(({ name }) => name === 'sort');

describe('what is described', () => {
  it('names for each list the keys by which it sorts, and no others', async () => {
    const { code: tenant } = await api.addTenant();
    const caller = { token: api.admin.token, tenant };
    await api.call('POST', '/api/v1/datasets', { ...caller, json: { id: 'd', name: 'D' } });
    const sorted = Object.keys(paths).filter((path) => sortOf(path) !== undefined);
    expect(sorted).toHaveLength(7);
    for (const path of sorted) {
      const list = path.replace('{dataset_id}', 'd');
      const { status, body } = await api.call('GET', `${list}?sort=nothing`, caller);
      const expected = { path, status: 400, allowed: sortOf(path)?.schema.enum };
      expect({ path, status, allowed: ['', ...body.detail.allowed] }).toEqual(expected);
    }
  });

  it('is shown with a filter, and every call carries the tenant that was entered once', async () => {
    const { text } = await api.call('GET', '/docs/assets/init.js');
    const shown: PageOptions[] = [];
    const page = new Function('window', 'location', 'SwaggerUIBundle', text);
    page({}, { href: api.base }, (options: PageOptions) => shown.push(options));
    const [options] = shown;
    const sent = (headers: Record<string, string>, path = '/api/v1/models') => {
      const request = { url: api.base + path, headers };
      return options?.requestInterceptor?.(request).headers;
    };
    expect(options?.filter).toBe(true);
    expect(sent({})).toEqual({});
    expect(sent({ 'X-Tenant': 'demo' })).toEqual({ 'X-Tenant': 'demo' });
    expect(sent({})).toEqual({ 'X-Tenant': 'demo' });
    expect(sent({}, '/api/v1/models?tenant=other')).toEqual({});
    expect(sent({}, '/users/me')).toEqual({});
  });
});

describe('the start page', () => {
  it('names the next steps by links to operations: sign in, choose a tenant, make a dataset', async () => {
    const { text } = await api.call('GET', '/');
    expect(text).toContain('<h2>Next</h2>');
    const [first] = /<a [^>]*>/.exec(text) ?? [];
    expect(first).toContain('href="/console/"');
    const next = text.slice(text.indexOf('<h2>Next</h2>'), text.indexOf('</ol>'));
    expect([...next.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual(['/console/']);
    const linked = [...text.matchAll(/href="\/docs#([^"]+)"/g)].map(([, place]) => place ?? '');
    const operationsFirst = [
      '/accounts/Sessions_CookieLogin',
      '/tenants/Tenants_List',
      '/datasets/Datasets_Create',
    ];
    expect(linked.slice(0, 3)).toEqual(operationsFirst);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const places = operations.map(({ tags, operationId }) => `/${tags[0]}/${operationId}`);
    expect(linked.filter((place) => !places.includes(place))).toEqual([]);
  });
});
