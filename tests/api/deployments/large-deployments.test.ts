import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { lockDeployment } from '../../../models/deployments/deployment-lock.commands.js';
import { AT_ONCE } from '../../../models/deployments/deployment-state.rules.js';
import type { Wish } from '../../../models/deployments/deployment.types.js';
import { DeviceEvents } from '../../../models/deployments/devices/device-events.js';
import { MOST_MOVED } from '../../../models/deployments/devices/device-moves.sql.js';
import { advanceDeployment } from '../../../models/deployments/follow-up/advance-deployment.commands.js';
import { type DeploymentLab, deploymentLab } from './support/deployment-lab.js';

jest.setTimeout(240_000);

const COUNT = MOST_MOVED + 1000;

describe('deployments to more devices than one look moves', () => {
  const lab = deploymentLab();
  let kit: DeploymentLab['kit'];
  let location: string;
  beforeAll(async () => {
    ({ kit } = lab());
    location = 'plain';
    await kit.edge.run(
      `insert into edge_device (tenant_id, key, location)
       select $1, $2::text || '-' || n, $2 from generate_series(1, $3::int) n`,
      [lab().tenant.id, location, COUNT],
    );
  });

  /** A deployment of version 2, which waits for its window. */
  const waiting = async () => {
    const model = await kit.model(2);
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const window = { from: time(7_200_000), to: time(10_800_000), tz: 'UTC' };
    const made = await kit.start({ model_name: model, version: 2, targets: { location }, window });
    await kit.when(made.id, 'waits', ({ message }) => message.startsWith('Waits for its window'));
    return made;
  };
  /** As if it had ended so, on all of its devices. */
  const endedAs = async (id: string, status: string, step: string) => {
    await kit.control(id, 'abort');
    await kit.when(id, 'leaves nobody open', ({ progress }) => progress === 1);
    await kit.edge.run(
      `update deployment_device set step = $2, from_version = 1, has_begun = true, started_at = now() where deployment_id = $1`,
      [id, step],
    );
    await kit.edge.run('update deployment set status = $2 where id = $1', [id, status]);
  };
  /** What one look does for this wish; then it is undone. */
  const lookFor = async (id: string, wish: Wish) => {
    const tenantId = asTenantId(lab().tenant.id);
    let found: unknown;
    const look = lab().api.container.db.inTenant(tenantId, async (tx) => {
      const deployment = await lockDeployment(tx, id);
      Object.assign(deployment ?? {}, { wish });
      await tx.em.flush();
      const ref = { tenantId, deploymentId: id, attempt: deployment?.attempt ?? 0 };
      const next = await advanceDeployment(tx, ref, new Date(), null, new DeviceEvents(tenantId));
      const steps = await tx.query<{ step: string; n: number }>(
        'select step, count(*)::int as n from deployment_device where deployment_id = $1 group by 1',
        [id],
      );
      found = [next, Object.fromEntries(steps.map(({ step, n }) => [step, n]))];
      throw new Error('It is undone.');
    });
    await expect(look).rejects.toThrow('It is undone.');
    return found;
  };

  it('are aborted in several looks, and say at once how many devices were not asked', async () => {
    const { id } = await waiting();
    expect(await lookFor(id, 'abort')).toEqual([AT_ONCE, { canceled: MOST_MOVED, queued: 1000 }]);
    await kit.control(id, 'abort');
    expect(await kit.reach(id, 'ABORTED')).toMatchObject({
      message: `Aborted; ${COUNT} devices were not asked any more.`,
    });
    await kit.when(id, 'leaves nobody open', ({ progress }) => progress === 1);
  });

  it('are rolled back in several looks', async () => {
    const { id } = await waiting();
    await endedAs(id, 'SUCCEEDED', 'succeeded');
    expect(await lookFor(id, 'rollback')).toEqual([AT_ONCE, { queued: MOST_MOVED, succeeded: 1000 }]);
    await kit.control(id, 'rollback');
    await kit.reach(id, 'ROLLING_BACK');
    const { body } = await kit.call('GET', `/deployments/${id}/logs`);
    const lines = body.items.map(({ message }: { message: string }) => message);
    expect(lines).toContain(`${COUNT} devices go back to the version before.`);
  });

  it('are tried again in several looks', async () => {
    const { id } = await waiting();
    await endedAs(id, 'FAILED', 'failed');
    expect(await lookFor(id, 'retry')).toEqual([AT_ONCE, { failed: 1000, queued: MOST_MOVED }]);
    await kit.control(id, 'retry-failed');
    await kit.reach(id, 'IN_PROGRESS');
    const { body } = await kit.call('GET', `/deployments/${id}/logs`);
    const lines = body.items.map(({ message }: { message: string }) => message);
    expect(lines).toContain(`${COUNT} devices are asked again.`);
  });
});
