import { randomUUID } from 'node:crypto';
import { DEVICE_FACTORY } from '../../edge/support/device-factory.js';
import { MODEL_FACTORY } from '../../registry/support/model-factory.js';
import type { ResourceFactory } from '../../support/resource-factory.js';

/**
 * A deployment that has failed on a device with a version before, as rows: one that ends takes a worker and a device. The
 * version is installed there.
 */
export const DEPLOYMENT_FACTORY: ResourceFactory = {
  prefix: '/api/v1/deployments/',
  async create(context) {
    const { api, tenant, canary } = context;
    const id = randomUUID();
    const { name = '' } = await MODEL_FACTORY.create({ ...context, canary: `${canary}-${id}` });
    const { device_id = '' } = await DEVICE_FACTORY.create(context);
    await api.container.db.inPlatform(async (tx) => {
      await tx.execute(
        `insert into deployment (id, tenant_id, model_id, version, target_device, strategy, groups, status,
           status_message, started_at, finished_at)
         select $1, $2, id, 1, $3, 'replace', '[{"size": 1, "successThreshold": 100, "errorThreshold": 0}]', 'FAILED',
           $5, now(), now() from model where tenant_id = $2 and name = $4`,
        [id, tenant.id, device_id, name, canary],
      );
      const commandId = randomUUID();
      await tx.execute(
        `insert into edge_command (id, tenant_id, device_id, type, state, finished_at)
         select $1, tenant_id, id, 'deploy', 'failed', now() from edge_device where tenant_id = $2 and key = $3`,
        [commandId, tenant.id, device_id],
      );
      await tx.execute(
        `insert into deployment_device (tenant_id, deployment_id, model_id, device_id, device_key, group_no, from_version,
           version, step, failed_step, message, command_id, finished_at)
         select p.tenant_id, p.id, p.model_id, d.id, d.key, 0, 1, 2, 'failed', 'installing', $2, $3, now()
         from deployment p join edge_device d on d.tenant_id = p.tenant_id and d.key = p.target_device where p.id = $1`,
        [id, canary, commandId],
      );
      await tx.execute(
        `insert into edge_installed_model (tenant_id, device_id, model_id, version)
         select tenant_id, device_id, model_id, version from deployment_device where deployment_id = $1`,
        [id],
      );
      await tx.execute(
        `insert into deployment_log (tenant_id, deployment_id, message, device_key, step)
         values ($1, $2, $3, $4, 'failed')`,
        [tenant.id, id, canary, device_id],
      );
    });
    return { deployment_id: id, id, name, device_id };
  },
  random: () => {
    const id = randomUUID();
    return { deployment_id: id, id, name: `m-${id}`, device_id: `d-${id}` };
  },
};

/** The same below the streams. */
export const DEPLOYMENT_STREAM_FACTORY: ResourceFactory = {
  ...DEPLOYMENT_FACTORY,
  prefix: '/api/v1/stream/deployments/',
};
