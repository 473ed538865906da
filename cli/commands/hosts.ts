import { listHosts } from '../../models/workloads/host.platform.js';
import { isAlive, type KnownHost } from '../../models/workloads/host.types.js';
import { giveUpHost, removeHost } from '../../models/workloads/hosted.platform.js';
import { type Arguments, UsageError } from '../arguments.js';
import { withPlatformDatabase } from './platform-database.js';

/** Lists the machines that run workloads. */
export const hosts = (args: Arguments): Promise<number> =>
  withPlatformDatabase(args.dataDir, async (db) => {
    const found = await listHosts(db);
    console.log(found.length === 0 ? 'No host was ever seen.' : found.map(line).join('\n'));
    return 0;
  });

/** For one that will not come back: its trainings fail, its endpoints start on other hosts, it is listed no more. */
export const forgetHost = (args: Arguments): Promise<number> =>
  withPlatformDatabase(args.dataDir, async (db) => {
    const [id] = args.files;
    const host = (await listHosts(db)).find((one) => one.id === id);
    if (!host) throw new UsageError('forget-host needs the id of a host; the command hosts lists them.');
    if (isAlive(host)) throw isNotGone(host);
    await giveUpHost(db, host, host.seenAt);
    if (!(await removeHost(db, host.id))) throw isNotGone(host);
    console.log(`${host.name} is forgotten. What it ran has failed, or starts on other hosts.`);
    return 0;
  });

const isNotGone = ({ name }: KnownHost) =>
  new UsageError(`The host ${name} is alive: stop its worker first, then forget it.`);

const line = (host: KnownHost): string => {
  const state = host.goneAt !== null ? 'gone' : isAlive(host) ? 'alive' : 'silent';
  return `  ${host.id}  ${host.name}  ${host.address}  ${state}, seen ${Math.round(host.ageS)} s ago`;
};
