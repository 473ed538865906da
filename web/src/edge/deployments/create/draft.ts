import type { Schemas } from '../../../api/client';
import { type Condition, conditionOf, isCondition } from '../../../shared/conditions';

/** One group as it is typed. */
export interface GroupDraft {
  readonly kind: 'size' | 'percent' | 'rest';
  readonly amount: number | string;
  readonly success: number | string;
  readonly error: number | string;
}

/** A deployment as it is typed; empty fields are not given. */
export interface Draft {
  readonly model: string;
  readonly version: string;
  readonly image: string;
  readonly target: 'device' | 'selection' | 'fleet';
  readonly device: string;
  readonly ids: readonly string[];
  readonly location: string;
  readonly os: string;
  readonly current: string;
  readonly how: 'replace' | 'canary' | 'groups';
  readonly groups: readonly GroupDraft[];
  readonly window: { readonly from: string; readonly to: string; readonly tz: string } | null;
  readonly previous: string;
  readonly conditions: readonly Condition[];
}

export const GROUP: GroupDraft = { kind: 'percent', amount: 10, success: 100, error: 0 };
const REST: GroupDraft = { ...GROUP, kind: 'rest', amount: '' };

/** What the address of the form may hold. */
export interface DraftSearch {
  readonly model?: string;
  readonly version?: string;
  readonly device?: string;
  /** Comma-separated. */
  readonly ids?: string;
}

export const draftOf = ({ model = '', version = '', device = '', ids = '' }: DraftSearch): Draft => ({
  ...{ model, version, image: '', device },
  target: ids !== '' ? 'selection' : 'device',
  ids: ids.split(',').filter(Boolean),
  ...{ location: '', os: '', current: '' },
  how: 'replace',
  groups: [GROUP, REST],
  window: null,
  ...{ previous: '', conditions: [] },
});

export type Missing = 'version' | 'device' | 'selection' | 'groups' | 'window' | 'previous' | 'conditions';

/** What is still in the way, in the order of the form. */
export function missingIn(draft: Draft): Missing[] {
  const { model, version, target, device, groups, window, previous, conditions } = draft;
  const checks: ReadonlyArray<readonly [Missing, boolean]> = [
    ['version', model !== '' && version !== ''],
    ['device', target !== 'device' || device !== ''],
    ['selection', target !== 'selection' || hasCondition(draft)],
    [
      'groups',
      howOf(draft) !== 'groups' || groups.every((group, at) => isGroup(group, at === groups.length - 1)),
    ],
    ['window', window === null || isWindow(window)],
    ['previous', previous === '' || previous !== version],
    ['conditions', conditions.every(isCondition)],
  ];
  return checks.flatMap(([what, isFine]) => (isFine ? [] : [what]));
}

/** One device has no order: what was chosen before for many is not meant. */
const howOf = ({ target, how }: Draft): Draft['how'] => (target === 'device' ? 'replace' : how);

const hasCondition = ({ ids, location, os, current }: Draft): boolean =>
  ids.length > 0 || location !== '' || os !== '' || current !== '';

function isGroup({ kind, amount, success, error }: GroupDraft, isLast: boolean): boolean {
  const isShare = (value: number | string) => value !== '' && Number(value) >= 0 && Number(value) <= 100;
  const isSize =
    kind === 'rest'
      ? isLast
      : Number(amount) > 0 && (kind === 'size' ? Number.isInteger(Number(amount)) : Number(amount) <= 100);
  return isSize && isShare(success) && isShare(error);
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const isWindow = ({ from, to, tz }: NonNullable<Draft['window']>): boolean =>
  TIME.test(from) && TIME.test(to) && from !== to && tz !== '';

/** The call that a draft asks for. @returns null while something is missing */
export function requestOf(draft: Draft): Schemas['DeploymentCreate'] | null {
  if (missingIn(draft).length > 0) return null;
  const { model, version, image, window, previous, conditions } = draft;
  const how = howOf(draft);
  return {
    model_name: model,
    version: Number(version),
    ...targetOf(draft),
    ...(how === 'groups' ? { groups: draft.groups.map(groupOf) } : { strategy: how }),
    ...(image.trim() === '' ? {} : { image: image.trim() }),
    ...(previous === '' ? {} : { previous_version: Number(previous) }),
    ...(window === null ? {} : { window: { ...window } }),
    ...(conditions.length === 0 ? {} : { rollback_on: conditions.map(conditionOf) }),
  };
}

function targetOf({
  target,
  device,
  ids,
  location,
  os,
  current,
}: Draft): Pick<Schemas['DeploymentCreate'], 'target_device_id' | 'targets'> {
  if (target === 'device') return { target_device_id: device };
  if (target === 'fleet') return {};
  return {
    targets: {
      ...(ids.length === 0 ? {} : { ids: [...ids] }),
      ...(location === '' ? {} : { location }),
      ...(os === '' ? {} : { os }),
      ...(current === '' ? {} : { current_version: Number(current) }),
    },
  };
}

const groupOf = ({ kind, amount, success, error }: GroupDraft): Schemas['GroupBody'] => ({
  ...(kind === 'rest' ? {} : { [kind]: Number(amount) }),
  success_threshold: Number(success),
  error_threshold: Number(error),
});
