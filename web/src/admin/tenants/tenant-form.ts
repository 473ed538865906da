/** What the form of a tenant's settings holds while it is filled in. */
export interface TenantForm {
  readonly name: string;
  readonly is_active: boolean;
  readonly features: Readonly<Record<string, boolean>>;
  /** Days by kind of data; an empty field keeps them for ever. */
  readonly retention: Readonly<Record<string, number | string>>;
  readonly kpis: ReadonlyArray<{ readonly name: string; readonly value: number | string }>;
}

interface Settings {
  readonly name: string;
  readonly is_active: boolean;
  readonly features: Readonly<Record<string, unknown>>;
  readonly retention: object;
  readonly kpi_targets: Readonly<Record<string, unknown>>;
}

export const RETENTION_KINDS = ['telemetry', 'inference', 'logs', 'audit', 'uploads'] as const;

/** Features that can be switched, with what holds for a tenant that says nothing of them. */
type Catalog = ReadonlyArray<{ readonly key: string; readonly default: boolean }>;

/** A target that is named is not saved without its number: that would take it away. */
export const needsValue = ({ name }: TenantForm['kpis'][number]): boolean => name.trim() !== '';

export function formOf(settings: Settings, catalog: Catalog): TenantForm {
  const days = settings.retention as Readonly<Record<string, number | null | undefined>>;
  return {
    name: settings.name,
    is_active: settings.is_active,
    features: Object.fromEntries(
      catalog.map((feature) => {
        const own = settings.features[feature.key];
        return [feature.key, typeof own === 'boolean' ? own : feature.default];
      }),
    ),
    retention: Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, days[kind] ?? ''])),
    kpis: Object.entries(settings.kpi_targets).map(([name, value]) => ({ name, value: Number(value) })),
  };
}

/**
 * What was changed in a form, in settings that were read later: what nobody touched here is as it is there.
 * @param before the settings that the form began with @param now those that hold by now
 */
export function formOver(form: TenantForm, before: Settings, now: Settings, catalog: Catalog): TenantForm {
  const [began, holds] = [formOf(before, catalog), formOf(now, catalog)];
  return {
    name: form.name === began.name ? holds.name : form.name,
    is_active: form.is_active === began.is_active ? holds.is_active : form.is_active,
    features: { ...holds.features, ...touched(form.features, began.features) },
    retention: { ...holds.retention, ...touched(form.retention, began.retention) },
    kpis: kpisOver(form.kpis, began.kpis, holds.kpis),
  };
}

const touched = <V>(mine: Readonly<Record<string, V>>, began: Readonly<Record<string, V>>) =>
  Object.fromEntries(Object.entries(mine).filter(([key, value]) => value !== began[key]));

function kpisOver(mine: TenantForm['kpis'], began: TenantForm['kpis'], holds: TenantForm['kpis']) {
  const valuesOf = (rows: TenantForm['kpis']) =>
    Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]));
  const [named, before] = [valuesOf(mine), valuesOf(began)];
  const values = { ...valuesOf(holds), ...touched(named, before) };
  const removed = Object.keys(before).filter((name) => !(name in named));
  return Object.entries(values)
    .filter(([name]) => !removed.includes(name))
    .map(([name, value]) => ({ name, value }));
}

/**
 * The change that a form asks for: the platform replaces each object as a whole, so that what the form does not know is
 * sent back as it came, and what did not change is left out.
 */
export function changesOf(form: TenantForm, before: Settings, catalog: Catalog): Partial<Settings> {
  const shown = formOf(before, catalog).features;
  const turned = Object.entries(form.features).filter(([key, isOn]) => isOn !== shown[key]);
  const retention = { ...before.retention } as Record<string, unknown>;
  for (const kind of RETENTION_KINDS) {
    const days = form.retention[kind];
    if (days === '' || days === undefined) delete retention[kind];
    else retention[kind] = Number(days);
  }
  const named = form.kpis.filter((row) => needsValue(row) && row.value !== '');
  const wanted: Settings = {
    name: form.name.trim(),
    is_active: form.is_active,
    features: { ...before.features, ...Object.fromEntries(turned) },
    retention,
    kpi_targets: Object.fromEntries(named.map(({ name, value }) => [name.trim(), Number(value)])),
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isSame(value, before[key as keyof Settings])),
  );
}

/** Alike whatever the order of an object's keys. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;
