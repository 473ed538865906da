import type { Deployment } from '../../../shared/deployments/queries';
import type { DeviceStep } from '../queries';

/** How many devices are at each step, in the order in which they go through them. */
export function stepCounts({ steps, groups }: Pick<Deployment, 'steps' | 'groups'>): ReadonlyArray<{
  readonly step: DeviceStep;
  readonly count: number;
}> {
  const sumOf = (key: 'succeeded' | 'failed') => groups.reduce((sum, group) => sum + group[key], 0);
  return [
    ...steps.map(({ step, at }) => ({ step, count: at })),
    { step: 'succeeded' as const, count: sumOf('succeeded') },
    { step: 'failed' as const, count: sumOf('failed') },
  ];
}
