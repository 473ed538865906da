import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RouteIndex } from '../../api/http/routing/route-index.js';
import { isWellFormed } from '../../core/text/line-text.js';
import type { AppError } from '../../core/errors/app-error.js';

const indexOf = (...routes: string[]) => {
  const index = new RouteIndex<string>();
  for (const route of routes) index.add(route.split(' ')[0] as string, route.split(' ')[1] as string, route);
  return index;
};
const refusal = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('nothing was refused');
};

describe('the route index', () => {
  const index = indexOf(
    'GET /',
    'GET /runs/compare',
    'GET /runs/:run_id',
    'DELETE /runs/:run_id',
    'GET /uploads/:id',
    'POST /uploads/:id\\:complete',
    'POST /uploads/:id\\:cancel',
    'POST /datasets\\:from-external',
    'POST /datasets',
    'GET /models/:name/versions/:version',
    'GET /models/:name/:version/download',
    'GET /proxy/:name/*path',
  );

  it('distinguishes colon actions from parameters', () => {
    expect(index.find('POST', '/uploads/u1:complete')).toEqual({
      value: 'POST /uploads/:id\\:complete',
      params: { id: 'u1' },
    });
    expect(index.find('POST', '/uploads/u1%3Acomplete')?.params).toEqual({ id: 'u1' });
    expect(index.find('POST', '/uploads/u1%3acancel')?.value).toBe('POST /uploads/:id\\:cancel');
    expect(index.find('POST', '/datasets:from-external')?.value).toBe('POST /datasets\\:from-external');
    expect(index.find('POST', '/datasets%3Afrom-external')?.value).toBe('POST /datasets\\:from-external');
    expect(index.find('POST', '/datasetsXfrom-external')).toBeNull();
    expect(index.find('POST', '/datasets/:from-external')).toBeNull();
  });

  it('leaves an unknown action to the parameter', () => {
    expect(index.find('GET', '/uploads/u1:other')?.params).toEqual({ id: 'u1:other' });
    expect(index.find('GET', '/uploads/:complete')?.params).toEqual({ id: ':complete' });
  });

  it('lets fixed words win over parameters', () => {
    expect(index.find('GET', '/runs/compare')?.value).toBe('GET /runs/compare');
    expect(index.find('GET', '/runs/compared')?.params).toEqual({ run_id: 'compared' });
    expect(index.find('GET', '/models/m/versions/3')?.value).toBe('GET /models/:name/versions/:version');
    expect(index.find('GET', '/models/m/3/download')?.value).toBe('GET /models/:name/:version/download');
    expect(index.find('GET', '/models/m/versions/download')?.value).toBe(
      'GET /models/:name/versions/:version',
    );
  });

  it('answers 405 with Allow for a known path, null for an unknown one', () => {
    const refused = refusal(() => index.find('PUT', '/runs/r1'));
    expect([refused.code, refused.options.headers?.Allow, refused.detail]).toEqual([
      'method_not_allowed',
      'DELETE, GET, HEAD',
      { allowed: ['DELETE', 'GET', 'HEAD'] },
    ]);
    expect(refusal(() => index.find('DELETE', '/runs/compare')).options.headers?.Allow).toBe('GET, HEAD');
    expect(index.find('HEAD', '/runs/r1')?.value).toBe('GET /runs/:run_id');
    for (const path of ['/nope', '/runs', '/runs/', '/runs//', '/runs/a/b', '//runs/a'])
      expect(index.find('GET', path)).toBeNull();
  });

  it('refuses malformed escapes and decodes once', () => {
    for (const path of ['/runs/%', '/runs/%zz', '/runs/%c3%2'])
      expect(refusal(() => index.find('GET', path)).code).toBe('bad_request');
    expect(index.find('GET', '/runs/a%2Fb')?.params).toEqual({ run_id: 'a/b' });
    expect(index.find('GET', '/runs/%252E')?.params).toEqual({ run_id: '%2E' });
    expect(index.find('GET', '/runs/%C3%A9')?.params).toEqual({ run_id: 'é' });
    expect(index.find('GET', '/runs/\u00c3\u00a9')?.params).toEqual({ run_id: 'é' });
  });

  it.each(['%ff', '%c3%28', '%ed%a0%80', '%c0%af', '\u00ff', 'a%ffb'])(
    'marks what is no UTF-8, so that nothing takes it for a text: %s',
    (text) => {
      expect(isWellFormed(String(index.find('GET', `/runs/${text}`)?.params.run_id))).toBe(false);
    },
  );

  it('keeps a path unknown that is reserved, and serves it once it is added', () => {
    const reserving = indexOf('GET /runs/:run_id', 'DELETE /models/:name/:version');
    for (const path of ['/runs/compare', '/models/:name/compare']) reserving.reserve(path);
    for (const method of ['GET', 'POST', 'DELETE'])
      expect([reserving.find(method, '/runs/compare'), reserving.find(method, '/models/m/compare')]).toEqual([
        null,
        null,
      ]);
    expect(reserving.find('GET', '/runs/compared')?.params).toEqual({ run_id: 'compared' });
    expect(reserving.find('DELETE', '/models/m/3')?.params).toEqual({ name: 'm', version: '3' });
    reserving.add('GET', '/runs/compare', 'served');
    expect(reserving.find('GET', '/runs/compare')?.value).toBe('served');
  });

  it('gives all that follows to a rest parameter', () => {
    expect(index.find('GET', '/proxy/p/a/b%20c')?.params).toEqual({ name: 'p', path: 'a/b c' });
  });

  it('refuses one route twice, and two names for one place', () => {
    expect(() => indexOf('GET /a/:id', 'GET /a/:id')).toThrow('routed twice');
    expect(() => indexOf('GET /a/:id', 'DELETE /a/:other')).toThrow('use one name');
    expect(() => indexOf('GET /a/:id', 'POST /a/:id\\:run', 'GET /a/:id/b')).not.toThrow();
  });

  it('finds what a naive matcher finds, for any set of routes', () => {
    const segment = fc.constantFrom('a', 'b', ':x', ':x\\:go', 'a\\:go');
    const pattern = fc
      .array(segment, { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.map((part, depth) => part.replace(':x', `:x${depth}`)).join('/')}`);
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c', 'c:go', 'a:go', ':go', 'a%3Ago'), { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { minLength: 1, maxLength: 8 }), path, (patterns, wanted) => {
        expect(indexOf(...patterns.map((each) => `GET ${each}`)).find('GET', wanted)?.value ?? null).toBe(
          naive(patterns, wanted),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

/** Tries every pattern as a regular expression; of those that fit, the one whose earliest difference is the more fixed. */
function naive(patterns: readonly string[], path: string): string | null {
  const decoded = path.split('/').map(decodeURIComponent).join('/');
  const rank = (part: string) => (!part.startsWith(':') ? 0 : part.includes('\\:') ? 1 : 2);
  const expression = (part: string) =>
    part.startsWith(':') ? `[^/]+${part.includes('\\:') ? ':go' : ''}` : part.replace('\\:', ':');
  const fitting = patterns.filter((pattern) =>
    new RegExp(`^${pattern.split('/').map(expression).join('/')}$`).test(decoded),
  );
  const best = fitting.sort((left, right) => {
    const [l, r] = [left.split('/').map(rank), right.split('/').map(rank)];
    const at = l.findIndex((value, depth) => value !== r[depth]);
    return at < 0 ? 0 : (l[at] as number) - (r[at] as number);
  })[0];
  return best === undefined ? null : `GET ${best}`;
}
