import { describe, expect, it } from '@jest/globals';
import { fromField, toField } from '../../../web/src/shared/moment';
import { actionChoices, auditQuery, csvPath, goesOn } from '../../../web/src/admin/audit/audit-words.js';

describe('auditQuery', () => {
  it('asks for the tenant of the page, unless everywhere is wanted', () => {
    expect(auditQuery({}, 'demo', 50)).toEqual({ page: 1, page_size: 50, tenant: 'demo' });
    expect(auditQuery({ scope: 'all', page: 3 }, 'demo', 50)).toEqual({ page: 3, page_size: 50 });
  });

  it('goes on by `after` without a page, until somebody chooses a page', () => {
    expect(auditQuery({ after: 'x' }, 'demo', 50)).toEqual({ after: 'x', page_size: 50, tenant: 'demo' });
    expect(auditQuery({ after: 'x', page: 2 }, 'demo', 50)).toEqual({
      page: 2,
      page_size: 50,
      tenant: 'demo',
    });
  });
});

describe('csvPath', () => {
  it('keeps the filters and drops the page', () => {
    const path = csvPath({ action: 'dataset.', actor: 'ann & bob', page: 4 }, 'demo');
    expect(path).toBe('/api/v1/system/audit?action=dataset.&actor=ann+%26+bob&tenant=demo&format=csv');
    expect(csvPath({ after: 'x', scope: 'all' }, 'demo')).toBe('/api/v1/system/audit?format=csv');
  });
});

describe('goesOn', () => {
  it('is so beyond the last page with a number', () => {
    expect(goesOn({ page: 200 }, true, 50)).toBe(true);
    expect(goesOn({ page: 199 }, true, 50)).toBe(false);
    expect(goesOn({ page: 200 }, false, 50)).toBe(false);
    expect(goesOn({ after: 'x' }, false, 50)).toBe(true);
  });
});

describe('actionChoices', () => {
  it('offers each area as a whole before its actions', () => {
    const choices = actionChoices(
      ['dataset.create', 'dataset.freeze', 'user.create'],
      (area) => `all ${area}`,
    );
    expect(choices).toEqual([
      {
        group: 'dataset',
        items: [
          { value: 'dataset.', label: 'all dataset' },
          { value: 'dataset.create', label: 'dataset.create' },
          { value: 'dataset.freeze', label: 'dataset.freeze' },
        ],
      },
      { group: 'user', items: [{ value: 'user.create', label: 'user.create' }] },
    ]);
  });
});

describe('moments of fields', () => {
  it('come back as they went', () => {
    const iso = '2026-11-25T20:54:00.000Z';
    for (const zone of ['local', 'utc'] as const) expect(fromField(toField(iso, zone), zone)).toBe(iso);
  });

  it('have the hours of the zone that the reader chose, to the second where it counts', () => {
    expect(toField('2026-11-25T20:54:09.000Z', 'utc')).toBe('2026-11-25T20:54');
    expect(toField('2026-11-25T20:54:09.000Z', 'utc', 'second')).toBe('2026-11-25T20:54:09');
  });

  it('are nothing while half typed', () => {
    expect(fromField('', 'utc')).toBeUndefined();
    expect(fromField('2026-13', 'local')).toBeUndefined();
    expect(toField('yesterday', 'utc')).toBe('');
    expect(toField(undefined, 'local')).toBe('');
  });
});
