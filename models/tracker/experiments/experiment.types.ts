export interface TrackerExperimentRow {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly lifecycle: 'active' | 'deleted';
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
