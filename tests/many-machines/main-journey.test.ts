import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import pg from 'pg';
import { type RealImages, realImages } from '../builders/real-images.js';
import { HELD_BACK, mainJourney } from '../journeys/support/main-journey.js';
import { Fleet } from './support/fleet.js';

jest.setTimeout(240_000);

describe('the main journey on three machines', () => {
  let fleet: Fleet;
  let owner: pg.Client;
  let images: RealImages;

  beforeAll(async () => {
    [fleet, images] = await Promise.all([Fleet.start(), realImages(HELD_BACK)]);
    owner = new pg.Client({ connectionString: fleet.made.database.ownerUrl });
    await owner.connect();
  }, 180_000);
  afterAll(async () => {
    await owner?.end();
    await fleet?.close();
  }, 120_000);

  mainJourney(() => ({
    ...{ base: fleet.base, owner, images, tenants: 1 },
    workloads: () => fleet.workloads(),
    hidden: () => fleet.hidden(),
    store: () => fleet.store(),
    verifyAudit: () => fleet.run('verify-audit'),
  }));
});
