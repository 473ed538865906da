import { text } from '../../text';

interface Targeted {
  readonly target_device_id: string | null;
  readonly targets: {
    readonly ids: readonly string[] | null;
    readonly location: string | null;
    readonly os: string | null;
    readonly current_version: number | null;
  } | null;
}

/** Which devices a deployment is for, in few words. */
export function targetText({ target_device_id: device, targets }: Targeted): string {
  const words = text.deployments.targets;
  if (device !== null) return words.device(device);
  const parts = [
    targets?.ids ? words.ids(targets.ids.length) : null,
    targets?.location ? words.location(targets.location) : null,
    targets?.os ? words.os(targets.os) : null,
    targets?.current_version ? words.current(targets.current_version) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? words.all : parts.join(', ');
}
