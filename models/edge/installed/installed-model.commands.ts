import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeInstalledModel } from './edge-installed-model.entity.js';

/** The device said that it has installed this version. */
export async function recordInstalled(
  tx: TenantTransaction,
  deviceId: string,
  modelId: string,
  version: number,
  installedAt: Date,
): Promise<void> {
  const known = await tx.em.findOne(EdgeInstalledModel, { deviceId, modelId });
  if (known) Object.assign(known, { version, installedAt });
  else tx.em.create(EdgeInstalledModel, { deviceId, modelId, tenantId: tx.tenantId, version, installedAt });
  await tx.em.flush();
}

/** A model as a device names it. */
export interface SaidModel {
  readonly name: string;
  readonly version: number;
}

/** What a device has that was not known of, or has no more. Null: none. */
export interface InstalledChange {
  readonly model: string;
  readonly from: number | null;
  readonly to: number | null;
}

/**
 * Brings what is known to be installed in line with all that the device says to have. Models that the tenant does not have are
 * left out. The device is locked.
 * @returns what changed
 */
export async function alignInstalled(
  tx: TenantTransaction,
  deviceId: string,
  said: readonly SaidModel[],
  now: Date,
): Promise<InstalledChange[]> {
  const wanted = new Map(said.map(({ name, version }) => [name, version]));
  const models = await tx.kysely
    .selectFrom('model as m')
    .leftJoin('edge_installed_model as i', (join) =>
      join
        .onRef('i.tenantId', '=', 'm.tenantId')
        .onRef('i.modelId', '=', 'm.id')
        .on('i.deviceId', '=', deviceId),
    )
    .where('m.tenantId', '=', tx.tenantId)
    .where((eb) => eb.or([eb('m.name', '=', anyOf([...wanted.keys()])), eb('i.deviceId', 'is not', null)]))
    .select(['m.id', 'm.name', 'i.version as from'])
    .orderBy('m.name')
    .execute();
  const changed = models
    .map((model) => ({ ...model, to: wanted.get(model.name) ?? null }))
    .filter(({ from, to }) => from !== to);
  for (const { id, to } of changed)
    if (to !== null) await recordInstalled(tx, deviceId, id, to, now);
    else tx.em.remove(await tx.em.findOneOrFail(EdgeInstalledModel, { deviceId, modelId: id }));
  await tx.em.flush();
  return changed.map(({ name: model, from, to }) => ({ model, from, to }));
}
