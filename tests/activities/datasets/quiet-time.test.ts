import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { beginPass } from '../../../models/datasets/validation/dataset-validation.commands.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

describe('the quiet time before a validation', () => {
  let api: TestApi;
  let tenantId: TenantId;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = asTenantId((await api.addTenant()).id);
  });
  afterAll(() => api.close());

  /** @param dueInS when the row says that the next pass may begin */
  async function next(dueInS: number, quietMs?: number) {
    const datasetId = randomUUID();
    return api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute(
        `insert into dataset (id, tenant_id, key, name, validation_active, validation_attempt, validate_after)
         values ($1, $2, $3, 'Quiet', true, 1, clock_timestamp() + make_interval(secs => $4))`,
        [datasetId, tenantId, `quiet-${datasetId}`, dueInS],
      );
      return beginPass(tx, { tenantId, datasetId, attempt: 1 }, quietMs);
    });
  }
  const waitOf = async (dueInS: number, quietMs?: number) => {
    const pass = await next(dueInS, quietMs);
    return pass.kind === 'wait' ? pass.waitMs : pass.kind;
  };

  it('is three seconds', async () => {
    const waitMs = await waitOf(3);
    expect(waitMs).toBeGreaterThan(2500);
    expect(waitMs).toBeLessThanOrEqual(3000);
  });

  it('is less where the setting says so', async () => {
    const waitMs = await waitOf(3, 1000);
    expect(waitMs).toBeGreaterThan(500);
    expect(waitMs).toBeLessThanOrEqual(1000);
    expect(await waitOf(3, 0)).toBe('pass');
  });

  it('is none for a validation that somebody asked for', async () =>
    expect(await waitOf(0, 1000)).toBe('pass'));
});
