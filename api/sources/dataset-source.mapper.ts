import type { LinkRow } from '../../models/sources/dataset-link.repository.js';
import type { WantedLink } from '../../models/sources/dataset-link.commands.js';
import type { FromExternalCreate, LinkOut, SourceLink } from './dataset-source.schemas.js';
import type { WantedCopy } from './dataset-source.service.js';

export const toWantedLink = ({ source_id, remote_dataset_id, interval_s = null }: SourceLink): WantedLink => ({
  sourceKey: source_id,
  remoteDatasetId: remote_dataset_id,
  intervalS: interval_s,
});

export const toWantedCopy = (body: FromExternalCreate): WantedCopy => ({
  ...toWantedLink(body),
  name: body.name ?? null,
  modality: body.modality ?? null,
  syncsNow: body.sync_now ?? true,
});

export const toLinkOut = (row: LinkRow): LinkOut => ({
  dataset_id: row.dataset_key,
  linked: row.source_key !== null,
  source_id: row.source_key,
  source_name: row.source_name,
  source_enabled: row.source_enabled,
  remote_dataset_id: row.remote_dataset_id,
  interval_s: row.interval_s,
  linked_at: row.linked_at?.toISOString() ?? null,
  linked_by: row.linked_by,
  active_sync_id: row.active_sync_id,
});
