import type { Schemas } from '../../api/client';

/** A version of a model with the devices that have it. */
export type InField = Pick<Schemas['VersionCount'], 'version' | 'count'>;

/** Those of one model among the versions of the fleet, the newest first. */
export const versionsInField = (
  { versions }: Pick<Schemas['FleetPage'], 'versions'>,
  name: string,
): InField[] =>
  versions
    .filter(({ model }) => model === name)
    .map(({ version, count }) => ({ version, count }))
    .sort((a, b) => b.version - a.version);
