import type { Policy } from '../queries';

/** One setting of a policy, with what the platform takes for it. */
export interface Setting {
  readonly key: string;
  /** The object that it stands in; null: in the policy itself. */
  readonly part: 'retention' | 'sync' | null;
  readonly group: 'rhythm' | 'retention' | 'sync';
  readonly kind: 'number' | 'choice';
  readonly unit: 's' | 'days' | 'MB' | 'kbit' | 'records';
  readonly least: number;
  readonly most: number;
  readonly isWhole: boolean;
}

const A_DAY = 86_400;
const ONE = { kind: 'number', least: 1 } as const;
const days = {
  ...ONE,
  part: 'retention',
  group: 'retention',
  unit: 'days',
  most: 36_500,
  isWhole: true,
} as const;
const sync = { ...ONE, part: 'sync', group: 'sync' } as const;
const rhythm = { ...ONE, part: null, group: 'rhythm', unit: 's', most: A_DAY, isWhole: false } as const;

export const SETTINGS: readonly Setting[] = [
  { ...rhythm, key: 'heartbeat_interval_s' },
  { ...rhythm, key: 'commands_poll_s' },
  { ...days, key: 'telemetry_days' },
  { ...days, key: 'inference_days' },
  { ...days, key: 'uploads_days' },
  { ...days, key: 'max_local_mb', unit: 'MB', most: 100_000_000 },
  { ...sync, key: 'enabled', kind: 'choice', unit: 'records', most: 1, isWhole: true },
  { ...sync, key: 'interval_s', unit: 's', most: A_DAY, isWhole: false },
  { ...sync, key: 'batch_size', unit: 'records', most: 10_000, isWhole: true },
  { ...sync, key: 'max_kbps', unit: 'kbit', most: 100_000_000, isWhole: false },
];

/** What the fields hold, by setting; empty: nothing is set for the device alone. */
export type PolicyForm = Readonly<Record<string, string | number>>;
type Values = Readonly<Record<string, unknown>>;

/** What holds for a setting where nothing is set; null: no limit. */
export const inheritedOf = ({ inherited }: Pick<Policy, 'inherited'>, { key, part }: Setting): unknown =>
  (part === null ? (inherited as unknown as Values) : (inherited[part] as unknown as Values))[key] ?? null;

export const formOf = (policy: Policy): PolicyForm =>
  Object.fromEntries(SETTINGS.map((setting) => [setting.key, ownOf(policy, setting)]));

function ownOf(policy: Policy, setting: Setting): string | number {
  const { key, part } = setting;
  if (part !== null) return fieldOf((policy[part] as Values)[key]);
  const value = (policy as unknown as Values)[key];
  // The platform says what holds, not where it comes from: what is as it would be otherwise is not set.
  return value === inheritedOf(policy, setting) ? '' : fieldOf(value);
}

const fieldOf = (value: unknown): string | number =>
  typeof value === 'number' ? value : typeof value === 'boolean' ? String(value) : '';

/** Settings whose field holds what the platform does not take. */
export const wrongIn = (form: PolicyForm): ReadonlySet<string> =>
  new Set(SETTINGS.flatMap((setting) => (isRight(setting, form[setting.key] ?? '') ? [] : [setting.key])));

function isRight({ kind, least, most, isWhole }: Setting, value: string | number): boolean {
  if (value === '' || kind === 'choice') return true;
  const number = Number(value);
  return (
    Number.isFinite(number) && number >= least && number <= most && (!isWhole || Number.isInteger(number))
  );
}

/** The change that a form asks for: what nobody touched is left out, an empty field goes back to what holds otherwise. */
export function changesOf(form: PolicyForm, policy: Policy): Record<string, unknown> {
  const before = formOf(policy);
  const changes: Record<string, unknown> = {};
  for (const setting of SETTINGS) {
    const { key, part } = setting;
    const value = form[key] ?? '';
    if (String(value) === String(before[key])) continue;
    const wanted = value === '' ? null : setting.kind === 'choice' ? value === 'true' : Number(value);
    if (part === null) changes[key] = wanted;
    else changes[part] = { ...(changes[part] as object | undefined), [key]: wanted };
  }
  return changes;
}
