import type { Page } from 'playwright-core';

/**
 * Bytes of the console's own files that a page asks for, headers and all, as they came over the network when they were asked for
 * first: what the page brings to somebody who has never been there.
 */
export class FileBytes {
  private readonly addresses = new Map<string, string>();
  private readonly bytes = new Map<string, number>();
  private asked = new Set<string>();

  static async of(page: Page): Promise<FileBytes> {
    const files = new FileBytes();
    const network = await page.context().newCDPSession(page);
    network.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
      if (!new URL(url).pathname.startsWith('/console/')) return;
      // The page itself is the same at every address.
      const address = /\.\w+$/.test(url) ? url : '/console/';
      files.addresses.set(requestId, address);
      files.asked.add(address);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const address = files.addresses.get(requestId);
      if (address === undefined) return;
      files.bytes.set(address, Math.max(encodedDataLength, files.bytes.get(address) ?? 0));
    });
    await network.send('Network.enable');
    return files;
  }

  /** Kilobytes of what was asked for since the last time. */
  take(): number {
    const bytes = [...this.asked].reduce((sum, address) => sum + (this.bytes.get(address) ?? 0), 0);
    this.asked = new Set();
    return Math.ceil(bytes / 1000);
  }
}
