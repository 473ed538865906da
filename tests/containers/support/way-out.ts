import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';

/** The one way from containers to package indexes: a proxy for TLS connections, on an address that they reach. */
export class WayOut {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(host: string, port: number): Promise<WayOut> {
    const server = createServer((_request, answer) => void answer.writeHead(405).end());
    server.on('connect', (request, from, head) => {
      const { hostname, port: wanted } = new URL(`https://${request.url}`);
      const to = connect(Number(wanted || 443), hostname, () => {
        from.write('HTTP/1.1 200 Connection established\r\n\r\n');
        to.write(head);
        from.pipe(to).pipe(from);
      });
      to.on('error', () => from.destroy());
      from.on('error', () => to.destroy());
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return new WayOut(server, `http://${host}:${port}`);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
