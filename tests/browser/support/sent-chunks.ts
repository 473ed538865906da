import type { Page, Request } from 'playwright-core';

const CHUNK = /\/uploads\/[^/]+\/chunks\/(\d+)$/;

const chunkOf = (request: Request): number | null => {
  const index = request.method() === 'PUT' ? CHUNK.exec(new URL(request.url()).pathname)?.[1] : undefined;
  return index === undefined ? null : Number(index);
};

/** Chunks that a page sends, and those that the platform has acknowledged. */
export class SentChunks {
  readonly sent: number[] = [];
  readonly acknowledged: number[] = [];
  private only: number | null = null;

  private constructor(private readonly page: Page) {
    page.on('request', (request) => {
      const index = chunkOf(request);
      if (index !== null) this.sent.push(index);
    });
    page.on('requestfinished', async (request) => {
      const index = chunkOf(request);
      if (index !== null && (await request.response())?.ok()) this.acknowledged.push(index);
    });
  }

  /** @param only the one chunk that comes through, until `letAllThrough`; the others stay on their way */
  static async watch(page: Page, only: number): Promise<SentChunks> {
    const chunks = new SentChunks(page);
    chunks.only = only;
    await page.route(CHUNK, (route) => {
      const isHeld = chunks.only !== null && chunkOf(route.request()) !== chunks.only;
      return isHeld ? new Promise<void>(() => {}) : route.continue();
    });
    return chunks;
  }

  letAllThrough(): void {
    this.only = null;
  }

  async untilAcknowledged(index: number, { timeout }: { readonly timeout: number }): Promise<void> {
    for (const until = Date.now() + timeout; !this.acknowledged.includes(index); ) {
      if (Date.now() > until)
        throw new Error(`chunk ${index} was not acknowledged; sent: ${this.sent.join()}`);
      await this.page.waitForTimeout(50);
    }
  }
}
