/** One run of the platform's hourly housekeeping, started by a schedule. */
export const MAINTENANCE_WORKFLOW = 'maintenance';
export const MAINTENANCE_SCHEDULE = 'maintenance';
export const MAINTENANCE_EVERY_S = 3600;

/** What one run did: rows or objects removed, by task. */
export interface MaintenanceResult {
  readonly removed: Readonly<Record<string, number>>;
}
