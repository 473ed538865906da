import { z } from 'zod';
import { dataFiles, readJson, removeFile, writeJson } from './files.js';

export const CHILD_NAMES = ['postgres', 'temporal', 's3', 'api', 'worker'] as const;
export type ChildName = (typeof CHILD_NAMES)[number];

const refSchema = z.object({ pid: z.number().int().positive(), startTime: z.string() });
const childSchema = refSchema.extend({ ports: z.record(z.string(), z.number()) });
const stateSchema = z.object({
  supervisor: refSchema.nullable(),
  children: z.partialRecord(z.enum(CHILD_NAMES), childSchema),
  /** Where the database's files are. Null as long as no database was provisioned. */
  databaseLocation: z.string().nullable(),
  /** The migration that the database's schema began with; null without a database, or before the first release. */
  baseline: z.string().nullable().default(null),
  /** True once the first administrator exists: its generated password is never asked for again. */
  administratorMade: z.boolean(),
  /** True from the wish to stop until the next start. */
  stopping: z.boolean().default(false),
});

export type ChildState = z.infer<typeof childSchema>;
export type SupervisorState = z.infer<typeof stateSchema>;

const EMPTY: SupervisorState = {
  supervisor: null,
  children: {},
  databaseLocation: null,
  baseline: null,
  administratorMade: false,
  stopping: false,
};

/** What the supervisor remembers, so that a later one finds what this one left. Every change is written at once. */
export class StateFile {
  private state: SupervisorState;
  private readonly file: string;

  constructor(dataDir: string) {
    this.file = dataFiles(dataDir).state;
    const stored = stateSchema.safeParse(readJson(this.file) ?? EMPTY);
    this.state = stored.success ? stored.data : EMPTY;
  }

  get current(): SupervisorState {
    return this.state;
  }

  update(change: Partial<SupervisorState>): void {
    this.state = { ...this.state, ...change };
    writeJson(this.file, this.state);
  }

  setChild(name: ChildName, child: ChildState): void {
    this.update({ children: { ...this.state.children, [name]: child } });
  }

  /** The ports stay known, so that the next start prefers them. */
  portsOf(name: ChildName): Readonly<Record<string, number>> {
    return this.state.children[name]?.ports ?? {};
  }

  remove(): void {
    removeFile(this.file);
  }
}
