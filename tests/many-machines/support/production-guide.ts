import { readFileSync } from 'node:fs';

const GUIDE = 'docs/guide/production.md';

/** A text of the guide, and what stands in its place in an installation of the tests. */
export type Replacement = readonly [from: RegExp, to: string];

/** What a unit of the guide starts, and how. */
export interface Unit {
  readonly command: readonly string[];
  readonly folder: string;
  /** Files of settings, and the settings beside them. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const settingsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  );

/** What docs/guide/production.md has an operator write and run, word by word except for names of places. */
export class ProductionGuide {
  private readonly text: string;

  /** @throws Error where the guide says nothing any more of what is replaced */
  constructor(replacements: readonly Replacement[]) {
    this.text = replacements.reduce(
      (text, [from, to]) => {
        const replaced = text.replace(new RegExp(from, `g${from.flags}`), () => to);
        if (replaced === text) throw new Error(`${GUIDE} says nothing of ${from}`);
        return replaced;
      },
      readFileSync(GUIDE, 'utf8'),
    );
  }

  /** Blocks that are copied into a shell, by the number of their section. */
  shell(section: number): string[] {
    return this.blocks(section, '');
  }

  /** What the administrator of PostgreSQL runs first, and then in the new database. */
  administrators(): { readonly first: readonly string[]; readonly inDatabase: readonly string[] } {
    const [, block = ''] = /^ {2}```text\n([\s\S]*?)^ {2}```$/m.exec(this.section(1)) ?? [];
    const [first = '', inDatabase = ''] = block.split(/^ *\\connect .*$/m);
    const statements = (text: string) =>
      text
        .split(';')
        .map((each) => each.trim())
        .filter((each) => each !== '');
    return { first: statements(first), inDatabase: statements(inDatabase) };
  }

  /** The file of settings that every machine has. */
  platformSettings(): string {
    return this.blocks(3, 'text')[0] as string;
  }

  /** That of machine b; machine c has the same, and `isHost: false` is machine a. */
  machineSettings({ isHost }: { readonly isHost: boolean }): string {
    const [, machine = '', roles = ''] = this.blocks(3, 'text');
    return isHost ? machine : machine.replace(/^SERVICE_WORKLOAD_ADDRESS=.*\n/m, '') + roles;
  }

  /** Names of the files of secrets, and their content where the guide gives it. */
  secrets(): ReadonlyMap<string, string | null> {
    const rows = [...this.section(3).matchAll(/^\| (`[A-Z0-9_]+`(?:, `[A-Z0-9_]+`)*) \| (.*?) \|$/gm)];
    return new Map(
      rows.flatMap(([, names = '', content = '']) =>
        [...names.matchAll(/[A-Z0-9_]+/g)].map(
          ([name]) => [name, /^`(\S+)`$/.exec(content)?.[1] ?? null] as const,
        ),
      ),
    );
  }

  /** The rules for the firewall of a host. */
  firewall(): string {
    return this.blocks(5, 'nft')[0] as string;
  }

  /** The ports of served models, the first and the last. */
  portsOfModels(): string[] {
    return /`net\.ipv4\.ip_local_port_range` \((\d+) to (\d+) /.exec(this.section(5))?.slice(1) ?? [];
  }

  /** The unit of a process as a file for systemd: the guide has the worker's, and says what the API's has otherwise. */
  unitFile(process: 'api' | 'worker'): string {
    const worker = this.blocks(5, 'text')[0] as string;
    if (process === 'worker') return worker;
    const [, changes = ''] =
      /^The API's is the same with (.*?) and without `KillMode`/m.exec(this.section(5)) ?? [];
    const [program, ...settings] = [...changes.matchAll(/`([^`]+)`/g)].map(([, change]) => change as string);
    if (program === undefined) throw new Error(`${GUIDE} does not say what the unit of the API is`);
    return worker
      .replace(/^KillMode=.*\n/m, '')
      .replace(/^(ExecStart=\S+) .*$/m, (_, node) =>
        [...settings.map((setting) => `Environment=${setting}`), `${node} ${program}`].join('\n'),
      );
  }

  /** @param credentials folder that systemd puts the secrets of a service into, `%d` in its unit */
  unit(process: 'api' | 'worker', credentials: string): Unit {
    const text = this.unitFile(process).replaceAll('%d', credentials);
    const values = (key: string) =>
      [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value as string);
    const env = Object.assign({}, ...values('Environment').map(settingsIn)) as Record<string, string>;
    const command = (values('ExecStart')[0] as string).split(' ');
    const [folder] = values('WorkingDirectory') as [string];
    return { command, folder, files: values('EnvironmentFile'), env };
  }

  private section(number: number): string {
    return new RegExp(`^## ${number}\\. [\\s\\S]*?(?=^## )`, 'm').exec(this.text)?.[0] ?? '';
  }

  private blocks(section: number, language: string): string[] {
    const found = [...this.section(section).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
    return found.filter(([, tag]) => tag === language).map(([, , body]) => body as string);
  }
}
