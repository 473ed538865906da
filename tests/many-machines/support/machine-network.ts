import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe' });

/**
 * Machines that are network namespaces: each has an address and a loopback of its own, and reaches the others, and the
 * engines, over a bridge. Needs the rights of root.
 */
export class MachineNetwork {
  /** Unique on this machine, and short enough for names of interfaces. */
  private readonly id = `vo${randomBytes(3).toString('hex')}`;
  private readonly subnet = `10.213.${randomInt(1, 255)}`;
  private readonly machines = new Map<string, number>();
  private readonly forwarders = new Map<number, Server>();
  private readonly forwarded = new Map<Socket, number>();

  private constructor() {}

  static open(names: readonly string[]): MachineNetwork {
    const network = new MachineNetwork();
    ip('link', 'add', network.id, 'type', 'bridge');
    ip('addr', 'add', `${network.gateway}/24`, 'dev', network.id);
    ip('link', 'set', network.id, 'up');
    for (const name of names) network.add(name);
    return network;
  }

  /** Where the engines and the load balancer are. */
  get gateway(): string {
    return `${this.subnet}.1`;
  }

  addressOf(machine: string): string {
    return `${this.subnet}.${this.numberOf(machine) + 1}`;
  }

  /** The command line that runs another on a machine, under its host name, in the process that is started. */
  on(machine: string, command: readonly string[]): [string, string[]] {
    const named = ['sh', '-c', 'hostname "$0" && exec "$@"', machine, ...command];
    return ['ip', ['netns', 'exec', this.nameOf(machine), 'unshare', '--uts', ...named]];
  }

  /** The file of its network namespace. */
  namespaceOf(machine: string): string {
    return `/run/netns/${this.nameOf(machine)}`;
  }

  pidsOn(machine: string): number[] {
    return ip('netns', 'pids', this.nameOf(machine)).split('\n').filter(Boolean).map(Number);
  }

  /** Makes a port of this machine's loopback one of the gateway. */
  async forward(port: number): Promise<void> {
    const server = createServer((from) => {
      const to = connect(port, '127.0.0.1');
      from.pipe(to).pipe(from);
      for (const socket of [from, to]) {
        this.forwarded.set(socket, port);
        socket.on('error', () => undefined);
        socket.on('close', () => this.forwarded.delete(socket));
      }
      from.on('close', () => to.destroy());
      to.on('close', () => from.destroy());
    });
    this.forwarders.set(port, server);
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, this.gateway, resolve),
    );
  }

  /** As if what listens at a port that is forwarded had ended: connections are reset and refused until it is forwarded again. */
  refuse(port: number): void {
    this.forwarders.get(port)?.close();
    for (const [socket, to] of this.forwarded) if (to === port) socket.resetAndDestroy();
  }

  /** Pulls its cable, or plugs it in again: while it is out nothing comes or goes, and no connection is ended. */
  link(machine: string, state: 'up' | 'down'): void {
    ip('link', 'set', this.outsideOf(machine), state);
  }

  close(): void {
    for (const server of this.forwarders.values()) server.close();
    // A machine that is gone acknowledges nothing: what was sent to it would be waited for.
    for (const socket of this.forwarded.keys()) socket.resetAndDestroy();
    for (const name of this.machines.keys()) ip('netns', 'del', this.nameOf(name));
    ip('link', 'del', this.id);
  }

  private add(name: string): void {
    this.machines.set(name, this.machines.size + 1);
    const [inside, outside] = [`${this.id}i`, this.outsideOf(name)];
    ip('netns', 'add', this.nameOf(name));
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside, 'netns', this.nameOf(name));
    ip('link', 'set', outside, 'master', this.id, 'up');
    ip('-n', this.nameOf(name), 'link', 'set', 'lo', 'up');
    ip('-n', this.nameOf(name), 'addr', 'add', `${this.addressOf(name)}/24`, 'dev', inside);
    ip('-n', this.nameOf(name), 'link', 'set', inside, 'up');
  }

  /** Its interface on the bridge. */
  private outsideOf(machine: string): string {
    return `${this.id}-${this.numberOf(machine)}`;
  }

  private nameOf(machine: string): string {
    return `${this.id}${this.numberOf(machine)}`;
  }

  private numberOf(machine: string): number {
    const number = this.machines.get(machine);
    if (number === undefined) throw new Error(`There is no machine ${machine}.`);
    return number;
  }
}

/** Why there can be no machines here; null when there can. */
export function networkProblem(): string | null {
  try {
    MachineNetwork.open(['probe']).close();
    return null;
  } catch (error) {
    return `this machine makes no network namespaces: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
}
