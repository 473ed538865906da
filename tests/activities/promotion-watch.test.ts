import { describe, expect, it } from '@jest/globals';
import { createPromotionActivities } from '../../activities/registry/promotion.activities.js';
import { systemClock } from '../../core/ports/clock.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import { lackingMetrics } from '../../models/monitoring/model-metrics.queries.js';
import { lockModelByName } from '../../models/registry/model.queries.js';
import { applyPromotion } from '../../models/registry/promotion/apply-promotion.commands.js';
import { giveUpPromotion } from '../../models/registry/promotion/promotion-progress.commands.js';
import { requestPromotion } from '../../models/registry/promotion/promotion.commands.js';
import { findPromotion } from '../../models/registry/promotion/promotion.queries.js';
import type { RollbackCondition } from '../../models/registry/promotion/promotion.types.js';
import type { TrainingClass } from '../../models/registry/model.types.js';
import { findVersion } from '../../models/registry/version.queries.js';
import { registerModelVersion } from '../../models/registry/register-version.commands.js';
import { runWithModel } from '../api/registry/support/registry-builders.js';
import { tenantDatabase } from '../builders/tenant-database.js';

const NONE_RECEIVED: RollbackCondition = { metric: 'requests', op: '<', value: 1, for: '1m' };

describe('the watch of a promotion', () => {
  const ground = tenantDatabase({ appPool: 4, platformPool: 2 });

  const sql = (text: string, params: readonly unknown[]) =>
    ground.db.inPlatform((tx) => tx.execute(text, params));
  const promotionOf = async (promotionId: string) =>
    ground.db.inTenant(ground.tenantId, (tx) => findPromotion(tx, promotionId));

  /** A version in Production for two minutes, with these conditions. */
  async function applied(
    modelName: string,
    rollbackConditions: readonly RollbackCondition[],
    trainingClasses: readonly TrainingClass[] | null = null,
  ) {
    const { id } = await ground.db.inTenant(ground.tenantId, async (tx) => {
      await registerModelVersion(tx, SYSTEM_ACTOR, { modelName, run: runWithModel(), trainingClasses });
      const wanted = { modelName, version: 1, reason: 'It is better.', scope: null, rollbackConditions };
      return requestPromotion(tx, SYSTEM_ACTOR, wanted);
    });
    const ref = { tenantId: ground.tenantId, promotionId: id, attempt: 1 };
    await sql("update promotion set status = 'APPROVED' where id = $1", [id]);
    await ground.db.inTenant(ground.tenantId, (tx) =>
      applyPromotion(tx, ref, new Date(), () => Promise.resolve([])),
    );
    await sql("update promotion set applied_at = now() - interval '2 minutes' where id = $1", [id]);
    return ref;
  }

  /** A device has had version 1 for so long. */
  const install = (modelName: string, age = '2 minutes') =>
    sql(
      `with d as (
         insert into edge_device (tenant_id, key, updated_at) values ($1, 'cam-' || $2, now() - $3::interval)
         returning id, updated_at)
       insert into edge_installed_model (tenant_id, device_id, model_id, version, installed_at)
       select $1, d.id, m.id, 1, d.updated_at from d, model m where m.tenant_id = $1 and m.name = $2`,
      [ground.tenantId, modelName, age],
    );

  const activities = (measureMs?: number) =>
    createPromotionActivities({
      ...{ database: ground.db, clock: systemClock, objects: {} as ObjectStore },
      ...(measureMs === undefined ? {} : { measureMs }),
    });

  /** Until a statement of another transaction waits for a lock. */
  async function untilOneWaits(): Promise<void> {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const count = async () => (await ground.db.inTenant(ground.tenantId, (tx) => tx.query(waiting))).length;
    for (let n = 0; n < 200 && (await count()) === 0; n += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  it('holds nothing that whoever changes the model needs', async () => {
    const ref = await applied('held', [NONE_RECEIVED]);
    await install('held');
    let looked: Promise<unknown> | null = null;
    await ground.db.inTenant(ground.tenantId, async (tx) => {
      await lockModelByName(tx, 'held');
      looked = activities().watchPromotion(ref);
      await untilOneWaits();
      await tx.query("select set_config('lock_timeout', '2s', true)");
      await tx.query('select 1 from promotion where id = $1 for update', [ref.promotionId]);
    });
    expect(await looked).toEqual({ step: 'end', waitMs: 0 });
    expect(await promotionOf(ref.promotionId)).toMatchObject({
      status: 'ROLLED_BACK',
      statusMessage: expect.stringContaining('requests < 1 for 1m holds (requests is 0)'),
    });
  });

  it('takes no record for no sign where no device has the version, as behind an endpoint', async () => {
    const ref = await applied('served', [NONE_RECEIVED]);
    expect(await activities().watchPromotion(ref)).toMatchObject({ step: 'watch' });
    expect(await promotionOf(ref.promotionId)).toMatchObject({ status: 'APPLIED' });
  });

  it('takes no record for a sign once a device could have sent some for the whole span', async () => {
    const ref = await applied('fresh', [NONE_RECEIVED]);
    const look = async () => (await activities().watchPromotion(ref)).step;
    const device = (change: string) => sql(`update edge_device set ${change} where key = 'cam-fresh'`, []);
    await install('fresh', '10 seconds');
    expect(await look()).toBe('watch');
    await device("is_blocked = true, updated_at = now() - interval '2 minutes'");
    await sql(
      `update edge_installed_model set installed_at = now() - interval '2 minutes'
       where device_id = (select id from edge_device where key = 'cam-fresh')`,
      [],
    );
    expect(await look()).toBe('watch');
    await device('is_blocked = false, updated_at = now()');
    expect(await look()).toBe('watch');
    expect(await promotionOf(ref.promotionId)).toMatchObject({ status: 'APPLIED' });
    await device("updated_at = now() - interval '2 minutes'");
    expect(await look()).toBe('end');
    expect(await promotionOf(ref.promotionId)).toMatchObject({ status: 'ROLLED_BACK' });
  });

  it('judges predictions of its time in Production alone', async () => {
    const ref = await applied('judged', [{ metric: 'accuracy', op: '<', value: 0.9, for: '1m' }]);
    await sql(
      "update model_version set created_at = created_at - interval '1 day' where run_id is not null",
      [],
    );
    /** Forty wrong predictions, and feedback on them of now. */
    const judge = (kind: string, age: string) =>
      sql(
        `with d as (
           insert into edge_device (tenant_id, key) values ($1, 'judge')
           on conflict (tenant_id, key) do update set key = excluded.key returning number),
         r as (
           insert into inference (tenant_id, device, received_at, kept_days, ts, model_name, version, prediction_id,
             label, result)
           select $1, d.number, now() - $3::interval, 0, now(), 'judged', 1, $2 || n, 'cat', '{}'
           from d, generate_series(1, 40) n returning prediction_id)
         insert into feedback (tenant_id, model_name, prediction_id, label)
         select $1, 'judged', prediction_id, '{"label": "dog"}' from r`,
        [ground.tenantId, kind, age],
      );
    await judge('before', '5 minutes');
    expect(await activities().watchPromotion(ref)).toMatchObject({ step: 'watch' });
    // Received before the span of the condition began, and judged within it.
    await judge('since', '90 seconds');
    expect(await activities().watchPromotion(ref)).toMatchObject({ step: 'end' });
    expect((await promotionOf(ref.promotionId))?.statusMessage).toContain('accuracy is 0)');
  });

  it('says from the start what nothing measures', async () => {
    const asked = ['requests', 'latency_p95_ms', 'confidence_mean', 'accuracy', 'drift_psi'];
    const lacking = (modelName: string) =>
      ground.db.inTenant(ground.tenantId, async (tx) => {
        const version = await findVersion(tx, modelName, 1);
        const found = version === null ? [] : await lackingMetrics(tx, version);
        return asked.filter((metric) => found.includes(metric));
      });
    await applied('nowhere', []);
    expect(await lacking('nowhere')).toEqual(asked);
    // Its predictions have records and feedback; no device says to have it.
    expect(await lacking('judged')).toEqual(['requests', 'drift_psi']);
    await install('nowhere');
    expect(await lacking('nowhere')).toEqual(['accuracy', 'drift_psi']);
    // Neither classes of its data nor feedback measure a version of which there is no record.
    await applied('learned', [], [{ name: 'cat', count: 4 }]);
    await sql(
      `insert into feedback (tenant_id, model_name, prediction_id, label)
       values ($1, 'learned', 'unknown', '{"label": "cat"}')`,
      [ground.tenantId],
    );
    expect(await lacking('learned')).toEqual(asked);
    await install('learned');
    expect(await lacking('learned')).toEqual([]);
  });

  it('says which condition could not be measured in time, and goes on', async () => {
    const ref = await applied('late', [{ ...NONE_RECEIVED, value: 0 }]);
    await ground.db.inPlatform(async (tx) => {
      await tx.execute('lock table inference in access exclusive mode');
      expect(await activities(300).watchPromotion(ref)).toMatchObject({ step: 'watch' });
    });
    const late = await promotionOf(ref.promotionId);
    expect(late?.statusMessage).toBe(
      'In Production. Could not be measured in time at the last look: requests < 0 for 1m.',
    );
    expect(late?.lookedAt?.getTime()).toBeGreaterThan(late?.appliedAt?.getTime() ?? Infinity);
    await activities().watchPromotion(ref);
    expect((await promotionOf(ref.promotionId))?.statusMessage).toBe('In Production.');
  });

  it('notifies people when it ends early', async () => {
    const ref = await applied('ended', [NONE_RECEIVED]);
    for (let n = 0; n < 2; n += 1)
      await ground.db.inTenant(ground.tenantId, (tx) =>
        giveUpPromotion(tx, ref, 'It was cancelled.', new Date()),
      );
    const kept = await ground.db.inPlatform(async (tx) => ({
      audited: await tx.query("select 1 from audit_entry where action = 'promotion.watch_end'"),
      notified: await tx.query(
        "select 1 from notification_request where title = 'Promotion of ended version 1 is watched no longer'",
      ),
    }));
    expect([kept.audited.length, kept.notified.length]).toEqual([1, 1]);
  });
});
