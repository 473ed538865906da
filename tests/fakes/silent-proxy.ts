import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Stands before a server; while it is silent it takes connections and bytes and nothing comes back, as behind a cut network. */
export class SilentProxy {
  private isSilent = false;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((client) => {
    const [host, port] = this.target.split(':');
    const upstream = connect(Number(port), host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.pipe(to);
      from.once('error', () => to.destroy());
      from.once('close', () => this.sockets.delete(from));
      if (this.isSilent) from.pause();
    }
  });

  private constructor(private readonly target: string) {}

  /** @param target host:port */
  static async before(target: string): Promise<SilentProxy> {
    const proxy = new SilentProxy(target);
    await new Promise<void>((done) => proxy.server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  silence(): void {
    this.isSilent = true;
    for (const socket of this.sockets) socket.pause();
  }

  speak(): void {
    this.isSilent = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** All connections end without a last word, as those of a process that was killed. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}
