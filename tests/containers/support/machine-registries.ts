import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
/** A build installs the authorities of Debian in the usual place. */
const BESIDE = '/root/authorities.crt';
const RELEASE = 'bookworm';
const DEBIAN = 'http://deb.debian.org/debian';

/** A file of this machine and its place in a container, which only reads it. */
export interface Lent {
  readonly from: string;
  readonly to: string;
}

/** How this machine reaches its package registries, lent to builds and containers: no layer of an image holds any of it. */
export class MachineRegistries {
  private readonly sources: readonly string[];

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    const targets = said('apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)')
      .split('\n')
      .filter((line) => line.split(' ')[1]?.startsWith(RELEASE) === true);
    this.sources = targets.length > 0 ? [...new Set(targets)] : [`${DEBIAN} ${RELEASE} main`];
  }

  /** Where debootstrap takes its packages from. */
  get mirror(): string {
    return this.sources.find((line) => line.split(' ')[1] === RELEASE)?.split(' ')[0] ?? DEBIAN;
  }

  /** For a build that calls apt-get and npm. */
  forBuild(): Lent[] {
    const acquire = said('apt-config', 'dump', 'Acquire')
      .split('\n')
      .filter((line) => /^Acquire::(https?|Check|Retries|Force)/i.test(line));
    const npm = [textOf(join(homedir(), '.npmrc')), `registry=${said('npm', 'config', 'get', 'registry')}`];
    return [
      this.lend(
        '/etc/apt/sources.list',
        this.sources.map((line) => `deb ${line}`),
      ),
      this.lend('/etc/apt/apt.conf.d/99machine', acquire),
      this.lend('/root/.npmrc', [...npm, ...(existsSync(AUTHORITIES) ? [`cafile=${BESIDE}`] : [])]),
      ...authorities(BESIDE),
    ];
  }

  /** A copy of what npm has fetched on this machine, for a build that may write to it: it fetches what is missing. */
  npmCache(): Lent {
    const from = join(this.folder, 'npm');
    const kept = join(said('npm', 'config', 'get', 'cache'), '_cacache');
    mkdirSync(from, { recursive: true });
    if (existsSync(kept)) cpSync(kept, join(from, '_cacache'), { recursive: true });
    return { from, to: '/root/.npm' };
  }

  /** For a worker that makes environments for trainings by pip. */
  forWorker(proxy: string): Lent[] {
    const index =
      said('python3', '-m', 'pip', 'config', 'get', 'global.index-url') || process.env.PIP_INDEX_URL;
    return [
      this.lend('/etc/pip.conf', [
        ...['[global]', `proxy = ${proxy}`],
        ...(index ? [`index-url = ${index}`] : []),
        ...(existsSync(AUTHORITIES) ? [`cert = ${AUTHORITIES}`] : []),
      ]),
      ...authorities(AUTHORITIES),
    ];
  }

  private lend(to: string, lines: readonly string[]): Lent {
    const from = join(this.folder, to.replaceAll('/', '_'));
    writeFileSync(from, `${lines.join('\n')}\n`, { mode: 0o644 });
    return { from, to };
  }
}

const authorities = (to: string): Lent[] => (existsSync(AUTHORITIES) ? [{ from: AUTHORITIES, to }] : []);

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');

/** What a command answers, '' when it fails: a setting that is not set. */
function said(command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
