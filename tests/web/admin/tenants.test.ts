import { describe, expect, it } from '@jest/globals';
import { removedText } from '../../../web/src/admin/tenants/removed-text.js';
import { changesOf, formOf, formOver, needsValue } from '../../../web/src/admin/tenants/tenant-form.js';

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

describe('a form of a tenant that was opened before somebody else saved', () => {
  const now = {
    ...before,
    name: 'Demo of Ann',
    features: { ...before.features, notification_email: false },
    retention: { logs: 90, telemetry: 7, of_tomorrow: 6 },
    kpi_targets: { map50: 0.7, f1: 0.5, recall: 0.8 },
  };
  const opened = formOf(before, CATALOG);
  const sent = (form: typeof opened, began: typeof before = before) =>
    changesOf(formOver(form, began, now, CATALOG), now, CATALOG);

  it('asks for nothing that nobody touched in it', () => {
    expect(sent(opened)).toEqual({});
  });

  it('leaves what the other has changed in the same object', () => {
    const features = { ...opened.features, promotion_approval: false };
    const retention = { ...opened.retention, audit: 365 };
    expect(sent({ ...opened, features, retention })).toEqual({
      features: { promotion_approval: false, notification_email: false, of_tomorrow: true },
      retention: { logs: 90, telemetry: 7, audit: 365, of_tomorrow: 6 },
    });
  });

  it('changes, adds and removes targets beside those of the other', () => {
    const began = { ...before, kpi_targets: { map50: 0.6, recall: 0.8 } };
    const kpis = [
      { name: 'map50', value: 0.9 },
      { name: ' map ', value: 0.4 },
    ];
    expect(sent({ ...opened, kpis }, began).kpi_targets).toEqual({ map50: 0.9, f1: 0.5, map: 0.4 });
  });

  it('takes a limit away that was touched in it, whatever the other says', () => {
    expect(sent({ ...opened, retention: { ...opened.retention, logs: '' } }).retention).toEqual({
      telemetry: 7,
      of_tomorrow: 6,
    });
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
