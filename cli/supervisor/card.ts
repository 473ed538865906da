export interface CardFacts {
  readonly baseUrl: string;
  readonly temporalUi: string | null;
  readonly adminEmail: string;
  /** The generated password, shown once; null when it was given or made by an earlier start. */
  readonly adminPassword: string | null;
  /** Said of the password, or in its place. */
  readonly passwordNote: string;
  readonly dataDir: string;
  /** Set when the database's files are elsewhere. */
  readonly databaseElsewhere: string | null;
  readonly sampleNote: string | null;
  /** True where tenants can reach what belongs to others, by way of the machine that they share. */
  readonly isShared: boolean;
  /** Flags that name this data directory, empty for the default one. */
  readonly flags: string;
  readonly ephemeral: boolean;
}

const SHARED =
  'for tenants that trust each other: docs/guide/quickstart.md#tenants-that-do-not-trust-each-other';

const command = (facts: CardFacts, text: string): string =>
  `npm start --${text === '' ? '' : ` ${text}`}${facts.flags}`;

/** Pure: what a person needs to know once all runs. */
export function renderCard(facts: CardFacts): string {
  const rows: Array<[string, string | null]> = [
    ['Address', facts.baseUrl],
    ['API docs', `${facts.baseUrl}/docs`],
    ['Temporal UI', facts.temporalUi],
    ['Sign in as', facts.adminEmail],
    [
      'Password',
      facts.adminPassword === null ? facts.passwordNote : `${facts.adminPassword}   (${facts.passwordNote})`,
    ],
    ['Data', `${facts.dataDir}${facts.ephemeral ? '   (removed at the end)' : ''}`],
    [
      'Database',
      facts.databaseElsewhere === null
        ? null
        : `${facts.databaseElsewhere}   (its user cannot reach the data directory)`,
    ],
    ['Sample', facts.sampleNote],
    ['Mind', facts.isShared ? SHARED : null],
    ['Next', command(facts, 'status')],
    ['', command(facts, 'password')],
    ['', command(facts, 'doctor')],
    ['Stop', `Ctrl-C, or ${command(facts, 'stop')}`],
    ['Wipe', command(facts, 'reset --yes')],
  ];
  const lines = rows
    .filter((row): row is [string, string] => row[1] !== null)
    .map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  const rule = '-'.repeat(Math.min(100, Math.max(...lines.map((line) => line.length)) + 2));
  return [rule, '  VisionOps is ready', '', ...lines, rule].join('\n');
}
