import { conditionText } from '../../../shared/condition-text';
import { conditionOf } from '../../../shared/conditions';
import { text } from '../../../text';
import type { Draft, GroupDraft } from './draft';

/**
 * What a deployment will do, in sentences.
 * @param devices how many it is for; null: only the platform knows
 */
export function planSentences(draft: Draft, devices: number | null): string[] {
  const words = text.deployments.fresh.sentences;
  const { model, version, image, how, groups, window, previous, conditions } = draft;
  return [
    words.what(model, version, whereText(draft, devices)),
    ...(image.trim() === '' ? [] : [words.image(image.trim())]),
    ...(draft.target === 'device'
      ? []
      : how === 'groups'
        ? groups.map((group, at) => groupText(group, at, groups.length))
        : [words[how]]),
    window === null ? words.noWindow : words.window(window.from, window.to, window.tz),
    ...(conditions.length === 0
      ? []
      : [words.conditions(conditions.map(conditionOf).map(conditionText).join(words.or))]),
    previous === '' ? words.previousOwn : words.previous(previous),
  ];
}

function whereText({ target, device, ids, location, os, current }: Draft, devices: number | null): string {
  const words = text.deployments.fresh.sentences;
  if (target === 'device') return words.device(device);
  if (target === 'fleet') return words.fleet(devices);
  const parts = [
    ids.length === 0 ? null : words.ids(devices ?? ids.length),
    location === '' ? null : words.location(location),
    os === '' ? null : words.os(os),
    current === '' ? null : words.current(current),
  ];
  return words.selection(devices, parts.filter((part) => part !== null).join(words.and));
}

function groupText({ kind, amount, success, error }: GroupDraft, at: number, groups: number): string {
  const words = text.deployments.fresh.sentences;
  const isLast = at === groups - 1;
  // The last group takes what is left, whatever it states.
  const size =
    kind === 'rest' || isLast
      ? words.sizeRest
      : kind === 'size'
        ? words.sizeDevices(String(amount))
        : words.sizePercent(String(amount));
  return words.group(at + 1, size, Number(success), Number(error), isLast);
}
