import { describe, expect, it } from '@jest/globals';
import { removedText } from '../../../web/src/admin/tenants/removed-text.js';
import { changesOf, formOf, needsValue } from '../../../web/src/admin/tenants/tenant-form.js';

const CATALOG = [
  { key: 'notification_email', default: true },
  { key: 'promotion_approval', default: false },
];
const before = {
  name: 'Demo',
  is_active: true,
  features: { promotion_approval: true, of_tomorrow: true },
  retention: { logs: 30, of_tomorrow: 5 },
  kpi_targets: { map50: 0.6 },
};

describe('the form of a tenant', () => {
  it('shows what holds, also where the tenant says nothing', () => {
    expect(formOf(before, CATALOG)).toEqual({
      name: 'Demo',
      is_active: true,
      features: { notification_email: true, promotion_approval: true },
      retention: { telemetry: '', inference: '', logs: 30, audit: '', uploads: '' },
      kpis: [{ name: 'map50', value: 0.6 }],
    });
  });

  it('changes nothing that nobody touched', () => {
    const untouched = { ...before, features: { ...before.features, notification_email: true } };
    expect(changesOf(formOf(untouched, CATALOG), untouched, CATALOG)).toEqual({});
  });

  it('follows the catalog in what nobody switched', () => {
    const fresh = { ...before, features: {} };
    expect(changesOf(formOf(fresh, CATALOG), fresh, CATALOG)).toEqual({});
    const named = { ...formOf(fresh, CATALOG), name: 'Demo 2' };
    expect(changesOf(named, fresh, CATALOG)).toEqual({ name: 'Demo 2' });
    const features = { ...named.features, promotion_approval: true };
    expect(changesOf({ ...named, features }, fresh, CATALOG).features).toEqual({ promotion_approval: true });
  });

  it('asks for the number of each target that has a name', () => {
    expect(needsValue({ name: 'map50', value: '' })).toBe(true);
    expect(needsValue({ name: ' ', value: '' })).toBe(false);
  });

  it('keeps what it does not know, and takes a limit away', () => {
    const form = formOf(before, CATALOG);
    const changes = changesOf(
      { ...form, retention: { ...form.retention, logs: '', audit: '365' } },
      before,
      CATALOG,
    );
    expect(changes.retention).toEqual({ of_tomorrow: 5, audit: 365 });
    expect(changesOf({ ...form, features: { promotion_approval: false } }, before, CATALOG).features).toEqual(
      {
        promotion_approval: false,
        of_tomorrow: true,
      },
    );
  });

  it('leaves rows out that are not filled in', () => {
    const form = formOf(before, CATALOG);
    const kpis = [
      ...form.kpis,
      { name: ' ', value: 1 },
      { name: 'map', value: '' },
      { name: ' f1 ', value: '0.5' },
    ];
    expect(changesOf({ ...form, kpis }, before, CATALOG).kpi_targets).toEqual({ map50: 0.6, f1: 0.5 });
  });
});

describe('removedText', () => {
  it('names the most first and counts the rest', () => {
    const counts = { bytes: 2048, 'table:dataset': 3, 'table:dataset_file': 1204, files: 0 };
    expect(removedText(counts)).toBe('2.0 KiB, 1,204 dataset_file, 3 dataset');
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`table:t${at}`, at + 1]));
    expect(removedText(many)).toMatch(/, 3 kinds more$/);
    expect(removedText({})).toBe('');
  });
});
