import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PROBE_EVERY_MS = 300;
const PROBE_MS = 1000;
/** Failed probes in a row after which nobody is sent there. */
const UNHEALTHY_AFTER = 3;

/** As a load balancer in front of several APIs works: in turns among those whose `/readyz` is 200. */
export class LoadBalancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly ready = new Set<string>();
  private readonly server: Server;
  private readonly stopping = new AbortController();
  private turn = 0;
  /** Requests that were passed on, by target. */
  readonly passed = new Map<string, number>();

  /**
   * @param publicHost by which people know the installation
   * @param targets addresses such as http://10.0.0.2:8080
   */
  private constructor(
    private readonly publicHost: string,
    private readonly targets: readonly string[],
  ) {
    this.server = createServer((incoming, outgoing) => this.pass(incoming, outgoing));
  }

  static async listen(
    base: string,
    targets: readonly string[],
    publicHost = new URL(base).host,
  ): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(publicHost, targets);
    const { hostname, port } = new URL(base);
    await new Promise<void>((resolve, reject) =>
      balancer.server.once('error', reject).listen(Number(port), hostname, resolve),
    );
    for (const target of targets) void balancer.probe(target);
    return balancer;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.server.closeAllConnections();
    this.agent.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async probe(target: string): Promise<void> {
    for (let failed = 0; !this.stopping.signal.aborted; ) {
      const isReady = await fetch(`${target}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
      failed = isReady ? 0 : failed + 1;
      if (isReady) this.ready.add(target);
      else if (failed >= UNHEALTHY_AFTER) this.giveUp(target);
      await sleep(PROBE_EVERY_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private giveUp(target: string): void {
    if (!this.ready.delete(target)) return;
    // The other end may have closed those to this one without this one being notified.
    for (const idle of Object.values(this.agent.freeSockets).flat()) idle?.destroy();
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const choice = this.targets.filter((target) => this.ready.has(target));
    this.turn += 1;
    const target = choice[this.turn % choice.length];
    if (target === undefined) return void outgoing.writeHead(503).end();
    this.passed.set(target, (this.passed.get(target) ?? 0) + 1);
    const { hostname, port } = new URL(target);
    const onward = request(
      {
        ...{ hostname, port, agent: this.agent, method: incoming.method, path: incoming.url },
        headers: {
          ...incoming.headers,
          host: this.publicHost,
          'x-forwarded-for': incoming.socket.remoteAddress,
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        // Half an answer must not look like a whole one.
        answer.on('error', () => outgoing.destroy());
      },
    );
    onward.on('error', () => {
      this.giveUp(target);
      // The API may have done what the request asked for: an answer of our own could be wrong.
      outgoing.destroy();
    });
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}
