import type { ErasureCounts } from './deletion.types.js';

/** What people ask about, each as the sum of counts of the steps. */
export interface ErasureSummary {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  readonly objects: number;
  readonly images: number;
  readonly endpoints: number;
  readonly workloads: number;
  readonly devices: number;
  readonly alert_rules: number;
  readonly silences: number;
  readonly schedules: number;
  readonly workflow_histories: number;
}

const TABLE = 'table:';
export const tableCount = (table: string): string => `${TABLE}${table}`;

/** A table that an installation does not have counts 0. */
const OF_TABLES = {
  files: ['dataset_file', 'run_artifact', 'model_version_file'],
  images: ['image'],
  endpoints: ['serving_endpoint'],
  devices: ['edge_device'],
  alert_rules: ['alert_rule'],
  silences: ['alert_silence'],
  schedules: ['pipeline_schedule'],
} as const;

export const mergeCounts = (parts: readonly ErasureCounts[]): ErasureCounts => {
  const sum: Record<string, number> = {};
  for (const part of parts) for (const [name, count] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
};

export function summarize(counts: ErasureCounts): ErasureSummary {
  const of = (name: string): number => counts[name] ?? 0;
  const ofTables = (kind: keyof typeof OF_TABLES): number => OF_TABLES[kind].reduce((sum, table) => sum + of(tableCount(table)), 0);
  return {
    rows: Object.entries(counts).reduce((sum, [name, count]) => sum + (name.startsWith(TABLE) ? count : 0), 0),
    files: ofTables('files'),
    bytes: of('object_bytes') + of('image_blob_bytes'),
    objects: of('objects') + of('unfinished_uploads'),
    images: ofTables('images'),
    endpoints: ofTables('endpoints'),
    workloads: of('workloads'),
    devices: ofTables('devices'),
    alert_rules: ofTables('alert_rules'),
    silences: ofTables('silences'),
    schedules: ofTables('schedules'),
    workflow_histories: of('workflow_histories'),
  };
}

/** What is not zero, one line each, for a person who looks for it. */
export const findingsOf = (counts: ErasureCounts): string[] =>
  Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${count} ${name.startsWith(TABLE) ? `rows of ${name.slice(TABLE.length)}` : name.replaceAll('_', ' ')}`);

/** Rows by table. */
export const tablesOf = (counts: ErasureCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).flatMap(([name, count]) => (name.startsWith(TABLE) ? [[name.slice(TABLE.length), count]] : [])));
