import type { LinkRow } from '../../models/sources/catalog/dataset-link.queries.js';
import type { WantedLink } from '../../models/sources/catalog/dataset-link.commands.js';
import type { FromExternalCreate, LinkOut, SourceLink } from './dataset-source.schemas.js';
import type { WantedCopy } from './dataset-source.service.js';

export const toWantedLink = ({
  source_id,
  remote_dataset_id,
  interval_s = null,
}: SourceLink): WantedLink => ({
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
  dataset_id: row.datasetKey,
  linked: row.sourceKey !== null,
  source_id: row.sourceKey,
  source_name: row.sourceName,
  source_enabled: row.sourceEnabled,
  remote_dataset_id: row.remoteDatasetId,
  interval_s: row.intervalS,
  linked_at: row.linkedAt?.toISOString() ?? null,
  linked_by: row.linkedBy,
  active_sync_id: row.activeSyncId,
});
