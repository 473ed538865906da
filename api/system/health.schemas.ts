export interface ComponentHealthOut {
  name: string;
  status: 'ok' | 'degraded' | 'down';
  /** How long the check took. */
  latency_ms: number;
  message: string;
  /** What to do about it; null while it is well. */
  hint: string | null;
}

export interface ConfigurationFindingOut {
  name: string;
  status: 'ok' | 'warning';
  message: string;
  /** What to do about it; null while it is well. */
  hint: string | null;
}

/** The platform's own diagnosis: each component it depends on, and the hygiene of its configuration. */
export interface SystemHealthOut {
  /** `ok`: everything works; `degraded`: something does not; `down`: the database is away. */
  status: 'ok' | 'degraded' | 'down';
  version: string;
  checked_at: string;
  components: ComponentHealthOut[];
  configuration: ConfigurationFindingOut[];
}
