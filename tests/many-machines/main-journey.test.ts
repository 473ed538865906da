import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import pg from 'pg';
import { type RealImages, realImages } from '../builders/real-images.js';
import { HELD_BACK, mainJourney } from '../journeys/support/main-journey.js';
import { deviceJourney, simulatedDevices } from './support/device-journey.js';
import { Fleet } from './support/fleet.js';
import { guideInProduction } from './support/guide-in-production.js';
import { TRAININGS, switchedWorker } from './support/switched-worker.js';

jest.setTimeout(240_000);

describe('three machines that were set up by docs/guide/production.md', () => {
  let starting: Promise<Fleet>;
  let fleet: Fleet;
  let owner: pg.Client;
  let images: RealImages;

  beforeAll(async () => {
    // The people of the journey were not invited.
    starting = Fleet.start({ SERVICE_REGISTRATION: 'open' });
    [fleet, images] = await Promise.all([starting, realImages(HELD_BACK)]);
    owner = new pg.Client({ connectionString: fleet.made.database.ownerUrl });
    await owner.connect();
  }, 180_000);
  afterAll(async () => {
    await owner?.end();
    await (await starting.catch(() => null))?.close();
  }, 120_000);

  guideInProduction(() => fleet);

  mainJourney(
    () => ({
      ...{ base: fleet.base, owner, images, tenants: 1, trainings: 2 + TRAININGS },
      workloads: () => fleet.workloads(),
      hidden: () => fleet.hidden(),
      store: () => fleet.store(),
      verifyAudit: () => fleet.run('verify-audit'),
    }),
    () => {
      deviceJourney(() => fleet);
      switchedWorker(() => fleet);
    },
  );

  simulatedDevices(() => fleet);
});
