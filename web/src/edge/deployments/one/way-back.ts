import type { Deployment } from '../../../shared/deployments/queries';
import type { DeployedDevice } from '../queries';

/** Devices that a rollback treats alike. */
export interface WayBack {
  /** What they have now. */
  readonly from: number;
  /** What they get; null: they keep what they have. */
  readonly to: number | null;
  readonly count: number;
}

/** What a rollback would do: only devices that have begun go back, each to the version that is stated or that it had. */
export function wayBack(
  { version, previous_version: previous }: Pick<Deployment, 'version' | 'previous_version'>,
  devices: ReadonlyArray<Pick<DeployedDevice, 'started_at' | 'from_version'>>,
): WayBack[] {
  const counts = new Map<number | null, number>();
  for (const { started_at: start, from_version: before } of devices) {
    if (start === null) continue;
    const to = previous ?? before;
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return [...counts]
    .map(([to, count]) => ({ from: version, to, count }))
    .sort((a, b) => (b.to ?? 0) - (a.to ?? 0));
}
