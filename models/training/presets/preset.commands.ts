import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { brokenConstraint } from '../../orm/errors.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { BUILT_IN_PRESETS, type Preset, type PresetConfig } from './built-in-presets.js';
import { findPreset } from './preset.queries.js';
import { TrainingPreset } from './training-preset.entity.js';

export interface NewPreset {
  readonly name: string;
  readonly description: string;
  /** Checked. */
  readonly config: PresetConfig;
}

/** @throws AppError conflict when the tenant has a preset of this name */
export async function createPreset(
  tx: TenantTransaction,
  actor: Actor,
  { name, description, config }: NewPreset,
): Promise<Preset> {
  const id = randomUUID();
  const { tenantId } = tx;
  tx.em.create(TrainingPreset, { id, tenantId, name, description, config, createdBy: actor.id });
  try {
    await tx.em.flush();
  } catch (error) {
    if (brokenConstraint(error) === 'training_preset_name_key')
      throw conflict(`There is a preset named ${JSON.stringify(name)} already.`);
    throw error;
  }
  await audit(tx, tenantId, actor, {
    action: 'preset.create',
    target: { kind: 'preset', id, label: name },
    detail: { framework: config.framework, model: config.model },
  });
  return (await findPreset(tx, id)) as Preset;
}

/** @throws AppError not_found; conflict for a preset of the installation */
export async function deletePreset(tx: TenantTransaction, actor: Actor, id: string): Promise<void> {
  if (BUILT_IN_PRESETS.some((preset) => preset.id === id))
    throw conflict('This preset belongs to the installation and cannot be deleted.');
  const found = await findPreset(tx, id);
  // The second of two who delete it at once finds nothing to delete.
  if (!found || (await tx.em.nativeDelete(TrainingPreset, { id: found.id })) === 0) throw notFound('Preset');
  await audit(tx, tx.tenantId, actor, {
    action: 'preset.delete',
    target: { kind: 'preset', id: found.id, label: found.name },
  });
}
