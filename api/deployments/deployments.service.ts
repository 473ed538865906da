import { notFound } from '../../core/errors/app-error.js';
import type { CappedPage } from '../../core/paging/capped-page.js';
import { type Page, toListQuery } from '../../core/paging/page.js';
import type { EventBus } from '../../core/ports/event-bus.js';
import { controlDeployment } from '../../models/deployments/control-deployment.commands.js';
import {
  createDeployment,
  isTakenMeanwhile,
  type NewDeployment,
} from '../../models/deployments/create-deployment.commands.js';
import {
  type DeploymentDeviceRow,
  listDeploymentDevices,
} from '../../models/deployments/devices/deployment-device.queries.js';
import { DeviceEvents } from '../../models/deployments/devices/device-events.js';
import { deploymentEvent } from '../../models/deployments/deployment-events.rules.js';
import { listDeploymentLog, type LogPage } from '../../models/deployments/deployment-log.queries.js';
import type { DeploymentView } from '../../models/deployments/deployment-view.rules.js';
import {
  findDeployment,
  findDeploymentRow,
  listDeployments,
} from '../../models/deployments/deployment.queries.js';
import type { Wish } from '../../models/deployments/deployment.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { Caller } from '../http/routing/request-context.js';
import { assertModelOfVersion } from '../http/routing/model-of-version.js';
import { assertSelection } from './deployment-selection.js';
import type { DeploymentDeviceQuery, DeploymentLogQuery } from './deployment-devices.schemas.js';
import type { DeploymentCreate, DeploymentQuery } from './deployments.schemas.js';

/** What people do with deployments. */
export class DeploymentsService {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
    private readonly events: EventBus,
  ) {}

  list(caller: Caller, query: DeploymentQuery): Promise<Page<DeploymentView>> {
    const list = toListQuery(query, ['created_at'], 'desc');
    const { status = null, model = null, version = null, device = null } = query;
    assertModelOfVersion(query);
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      listDeployments(tx, list, { status, model, version, device }),
    );
  }

  async read(caller: Caller, id: string): Promise<DeploymentView> {
    const found = await this.db.inTenant(caller.tenant.tenantId, (tx) => findDeployment(tx, id));
    if (!found) throw notFound('Deployment');
    return found;
  }

  async create(caller: Caller, body: DeploymentCreate): Promise<DeploymentView> {
    assertSelection(body);
    const { tenantId } = caller.tenant;
    const create = async () => {
      const deviceEvents = new DeviceEvents(tenantId);
      const made = await this.db.inTenant(tenantId, (tx) =>
        createDeployment(tx, caller.actor, toNewDeployment(body), deviceEvents),
      );
      this.events.publish([deploymentEvent(tenantId, made), ...deviceEvents.all]);
      return made;
    };
    return create().catch((error: unknown) => {
      if (!isTakenMeanwhile(error)) throw error;
      return create();
    });
  }

  /** The deployment once its work has followed, or as it is after 5 s. */
  async control(caller: Caller, id: string, wish: Wish): Promise<DeploymentView> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => controlDeployment(tx, caller.actor, id, wish));
    return this.states.until(
      id,
      () => this.read(caller, id),
      ({ row }) => row.wish === null,
    );
  }

  devices(
    caller: Caller,
    id: string,
    query: DeploymentDeviceQuery,
  ): Promise<CappedPage<DeploymentDeviceRow>> {
    const list = toListQuery(query, ['created_at'], 'desc');
    return this.ofDeployment(caller, id, (tx) =>
      listDeploymentDevices(tx, id, list, query, query.step ?? null),
    );
  }

  log(caller: Caller, id: string, query: DeploymentLogQuery): Promise<LogPage> {
    const { step = null, device_id: device = null } = query;
    return this.ofDeployment(caller, id, (tx) => listDeploymentLog(tx, id, { step, device }, query));
  }

  private ofDeployment<T>(
    caller: Caller,
    id: string,
    read: (tx: TenantTransaction) => Promise<T>,
  ): Promise<T> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      if (!(await findDeploymentRow(tx, id))) throw notFound('Deployment');
      return read(tx);
    });
  }
}

function toNewDeployment(body: DeploymentCreate): NewDeployment {
  const { targets } = body;
  return {
    modelName: body.model_name,
    version: body.version,
    targetDevice: body.target_device_id ?? null,
    targets: targets
      ? {
          ...{ ids: targets.ids ?? null, location: targets.location || null, os: targets.os || null },
          currentVersion: targets.current_version ?? null,
        }
      : null,
    strategy: body.strategy ?? 'replace',
    image: body.image ?? null,
    previousVersion: body.previous_version ?? null,
    groups: (body.groups ?? []).map(({ size, percent, success_threshold, error_threshold }) => ({
      ...{ size: size ?? null, percent: percent ?? null },
      ...{ successThreshold: success_threshold ?? 100, errorThreshold: error_threshold ?? 0 },
    })),
    window: body.window ? { from: body.window.from, to: body.window.to, tz: body.window.tz } : null,
    rollbackOn: (body.rollback_on ?? []).map(({ metric, op, value, for: span }) => ({
      ...{ metric, op, value, for: span },
    })),
  };
}
