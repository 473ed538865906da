import { describe, expect, it } from '@jest/globals';
import { likePattern, toListQuery, toPage } from '../../../core/paging/page.js';

describe('list parameters', () => {
  it('have defaults', () => {
    expect(toListQuery({}, ['name', 'created_at'])).toEqual({
      page: 1,
      pageSize: 50,
      offset: 0,
      q: null,
      sort: 'name',
      order: 'asc',
    });
    expect(
      toListQuery({ page: 3, page_size: 20, q: ' x ', sort: 'created_at', order: 'desc' }, [
        'name',
        'created_at',
      ]),
    ).toEqual({
      page: 3,
      pageSize: 20,
      offset: 40,
      q: 'x',
      sort: 'created_at',
      order: 'desc',
    });
    expect(toListQuery({ sort: '', q: '  ' }, ['name'], 'desc')).toMatchObject({
      sort: 'name',
      q: null,
      order: 'desc',
    });
  });

  it('refuse an unknown sort key with 400 and the allowed ones, even names of object members', () => {
    for (const sort of ['password_hash', 'Name', '__proto__', 'constructor', 'name desc']) {
      expect(() => toListQuery({ sort }, ['name', 'created_at'])).toThrow(
        expect.objectContaining({ code: 'bad_request', detail: { allowed: ['name', 'created_at'] } }),
      );
    }
  });

  it.each([
    [{ page: 0 }],
    [{ page: -1 }],
    [{ page: 1.5 }],
    [{ page: 10_000_001 }],
    [{ page_size: 0 }],
    [{ page_size: 201 }],
    [{ page_size: Number.NaN }],
  ])('refuse %j with 422', (params) => {
    expect(() => toListQuery(params, ['name'])).toThrow(
      expect.objectContaining({ code: 'unprocessable_entity' }),
    );
  });

  it('answer the page envelope', () => {
    expect(toPage({ page: 2, pageSize: 5 }, ['a'], 6)).toEqual({
      items: ['a'],
      total: 6,
      page: 2,
      page_size: 5,
    });
  });

  it('take wildcards of a search as text', () => {
    expect(likePattern('50%_\\')).toBe('%50\\%\\_\\\\%');
  });
});
