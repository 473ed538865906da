import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readdirSync } from 'node:fs';
import pg from 'pg';
import { StateFile } from '../../cli/supervisor/state.js';
import { type RealImages, realImages } from '../builders/real-images.js';
import { type PlatformFacts, SupervisedPlatform } from '../setup/supervised-platform.js';
import { HELD_BACK, mainJourney } from './support/main-journey.js';
import { hiddenOf } from './support/seen-by-training.js';

jest.setTimeout(240_000);

/** On a platform started by the command line. */
describe('the main journey', () => {
  let platform: SupervisedPlatform;
  let facts: PlatformFacts;
  let owner: pg.Client;
  let images: RealImages;

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    [facts, images] = await Promise.all([platform.start(), realImages(HELD_BACK)]);
    owner = new pg.Client({ connectionString: platform.ownerUrl() });
    await owner.connect();
  }, 180_000);
  afterAll(async () => {
    await owner?.end();
    await platform?.destroy();
  }, 120_000);

  mainJourney(() => ({
    ...{ base: platform.baseUrl, owner, images, tenants: 2, trainings: 2 },
    workloads: () => [platform.workloads()],
    hidden: () => hiddenOf(platform),
    store: () => facts,
    verifyAudit: () => platform.run('verify-audit'),
  }));

  it('stops in order and leaves no process and no socket', async () => {
    const { pids } = facts;
    const ports = Object.values(new StateFile(platform.dataDir).portsOf('s3'));
    await owner.end();
    expect(await platform.stop()).toBe(0);
    // An ended process stays visible until the machine's first process has reaped it.
    const left = () => Object.values(pids).filter((pid) => pid !== null && isAlive(pid));
    for (const end = Date.now() + 10_000; left().length > 0 && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(left()).toEqual([]);
    const sockets = ports.flatMap((port) => [`-grpc-${port}.sock`, `-grpc-${port + 10_000}.sock`]);
    expect(readdirSync('/tmp').filter((name) => sockets.some((end) => name.endsWith(end)))).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
