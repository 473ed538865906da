import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Fleet } from '../../../cli/simulate/fleet.js';
import { FleetRegistry } from '../../../cli/simulate/fleet-registry.js';
import { Random } from '../../../cli/simulate/random.js';
import { progressLine, summaryOf } from '../../../cli/simulate/report.js';
import { MISBEHAVIOURS, type SimulationOptions } from '../../../cli/simulate/simulation.types.js';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../../setup/supervised-platform.js';
import { Commander } from './commander.js';
import { registerVersions } from './deployable-model.js';
import { Deployer } from './deployer.js';
import { Intervener, type ReservedDevices } from './intervener.js';
import { StormKiller } from './storm-killer.js';
import { StormLedger } from './storm-ledger.js';
import { STORM_ORACLES, underWay } from './storm-oracles.js';

const TENANT = 'demo';
const PREFIX = 'storm';
const TELL_EVERY_MS = 10_000;
const say = (text: string) => process.stderr.write(`  ${text}\n`);

/** A whole platform, devices that misbehave in every way, somebody who gives them commands, and somebody who kills. */
export class StormGround {
  private readonly startedAt = Date.now();
  private readonly over = new AbortController();
  private living: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly platform: SupervisedPlatform,
    readonly person: PlatformClient,
    readonly ledger: StormLedger,
    readonly fleet: Fleet,
    readonly commander: Commander,
    readonly deployer: Deployer,
    readonly intervener: Intervener,
    readonly killer: StormKiller,
    private readonly options: SimulationOptions,
  ) {}

  static async prepare(count: number, seed: number): Promise<StormGround> {
    const platform = await SupervisedPlatform.create();
    await platform.start();
    const person = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    const options = {
      ...{ url: platform.baseUrl, tenant: TENANT, count, prefix: PREFIX, seed },
      ...{ durationS: null, intervalS: 6, longestPauseS: 5, failDeploys: 0.2 },
      misbehave: new Set(MISBEHAVIOURS),
    };
    const [ledger, random] = [new StormLedger(), new Random(seed)];
    const access = <T>(work: (token: string) => Promise<T>) => work(person.token as string);
    const registry = new FleetRegistry(platform.baseUrl, TENANT, access, new AbortController().signal);
    const fleet = await Fleet.register(options, registry, ledger);
    const devices = Array.from({ length: count }, (_, index) => `${PREFIX}-${index + 1}`);
    const [others, reserved] = reserve(devices);
    const commander = new Commander(person, [...others, ...reserved.windowed], ledger, random);
    const roads = { name: 'roads', versions: await registerVersions(person, TENANT, 'roads', 3) };
    const deployer = new Deployer(person, others, roads, ledger, random);
    const intervener = new Intervener(person, reserved, roads, ledger);
    const killer = new StormKiller(platform, random, say);
    const people = [commander, deployer, intervener] as const;
    return new StormGround(platform, person, ledger, fleet, ...people, killer, options);
  }

  /** The devices live until `calm`. */
  begin(): void {
    this.living = this.fleet.run(this.over.signal);
    const tell = () => say(progressLine(this.fleet.figures, this.seconds));
    this.timer = setInterval(tell, TELL_EVERY_MS);
  }

  async calm(): Promise<void> {
    clearInterval(this.timer);
    if (this.over.signal.aborted) return;
    this.over.abort();
    await this.living;
    say(JSON.stringify(this.summary()));
  }

  async close(): Promise<void> {
    await this.calm();
    await this.platform.destroy();
  }

  /** As the owner of the database, whom row-level security does not bind, by a new connection: the database is killed too. */
  async asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.platform.ownerUrl() });
    await client.connect();
    try {
      await client.query('set row_security = off');
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** @returns what is still under way when the time is over */
  async untilAtRest(withinS: number): Promise<string[]> {
    for (let left = withinS; left > 0 && (await this.asOwner(underWay)).length > 0; left -= 1)
      await sleep(1000);
    return this.asOwner(underWay);
  }

  /** What broke the contract, with what the log of the API says of an error. */
  breaches(): string[] {
    const log = readFileSync(join(this.platform.dataDir, 'logs/api.log'), 'utf8').split('\n');
    return this.fleet.figures.breaches.map((text) => {
      const [, id = null] = /"error_id":"([\w-]+)"/.exec(text) ?? [];
      return [text, ...(id === null ? [] : log.filter((line) => line.includes(id)))].join('\n');
    });
  }

  /** What the oracles find. @param owner whose transaction is read */
  async problems(owner: pg.Client): Promise<string[]> {
    const found: string[] = [];
    for (const oracle of Object.values(STORM_ORACLES)) found.push(...(await oracle(owner, this.ledger)));
    return found;
  }

  report(file: string): void {
    mkdirSync(dirname(file), { recursive: true });
    const byVictim = Map.groupBy(this.killer.kills, (victim) => victim);
    const kills = Object.fromEntries([...byVictim].map(([victim, all]) => [victim, all.length]));
    const commands = { acknowledged: this.ledger.commands.size, effects: this.ledger.effects.size };
    const deployments = this.ledger.deployments.size;
    writeFileSync(file, `${JSON.stringify({ ...this.summary(), kills, commands, deployments }, null, 2)}\n`);
  }

  private get seconds(): number {
    return (Date.now() - this.startedAt) / 1000;
  }

  private summary() {
    return summaryOf(this.fleet.figures, this.options, this.seconds);
  }
}

/** The last devices are for whoever intervenes. */
function reserve(devices: readonly string[]): readonly [string[], ReservedDevices] {
  const each = Math.min(10, Math.floor(devices.length / 5));
  const from = (place: number) => devices.length - place * each;
  const group = (place: number) => devices.slice(from(place), from(place - 1));
  return [devices.slice(0, from(3)), { conditioned: group(1), windowed: group(2), deleted: group(3).sort() }];
}
