import { type RawBuilder, sql } from 'kysely';

/** A model that a device said to have installed. */
export interface InstalledModel {
  readonly name: string;
  readonly version: number;
  /** ISO 8601. */
  readonly installedAt: string;
}

/** Those of a device `d`, by name. */
export const INSTALLED_MODELS = sql<readonly InstalledModel[]>`coalesce((
  select jsonb_agg(jsonb_build_object('name', m.name, 'version', i.version,
    'installedAt', to_char(i.installed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by m.name)
  from edge_installed_model i join model m on m.tenant_id = i.tenant_id and m.id = i.model_id
  where i.tenant_id = d.tenant_id and i.device_id = d.id), '[]')`;

/** Whether a device `d` has a version installed that was made from data with this digest. */
export const hasInstalledOfData = (digest: string): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from edge_installed_model i join model_version v
    on v.tenant_id = i.tenant_id and v.model_id = i.model_id and v.version = i.version
  where i.tenant_id = d.tenant_id and i.device_id = d.id and v.dataset_digest = ${digest})`;

/** Whether a device `d` has this model installed. @param version null: whichever */
export const hasInstalled = (
  model: string,
  version: number | null,
): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from edge_installed_model i join model m on m.tenant_id = i.tenant_id and m.id = i.model_id
  where i.tenant_id = d.tenant_id and i.device_id = d.id and m.name = ${model}
    and (${version}::int is null or i.version = ${version}))`;
