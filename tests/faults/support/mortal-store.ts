import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineHandle } from '../../../cli/engines/engine.js';
import { startObjectStore } from '../../../cli/engines/object-store.js';
import { isRunning } from '../../../cli/engines/process-ref.js';

const KEYS = {
  accessKey: 'mortal',
  secretKey: 'secret-of-the-mortal-store',
  internalKey: 'inner-key-of-the-tests',
  bucket: 'mortal',
};

/** An object store of one's own that can be killed and comes back with what it had, at the same address. */
export class MortalStore {
  private constructor(
    private readonly dataDir: string,
    private handle: EngineHandle,
  ) {}

  static async start(): Promise<MortalStore> {
    const dataDir = mkdtempSync(join(tmpdir(), 'visionops-store-'));
    return new MortalStore(dataDir, await startObjectStore({ dataDir, ...KEYS }));
  }

  /** What a platform finds it by. */
  get env(): Record<string, string> {
    return {
      S3_ENDPOINT: `http://127.0.0.1:${this.handle.ports.s3}`,
      S3_REGION: 'us-east-1',
      S3_BUCKET: KEYS.bucket,
      S3_ACCESS_KEY: KEYS.accessKey,
      S3_SECRET_KEY: KEYS.secretKey,
    };
  }

  /** Returns when it is really gone. */
  async kill(): Promise<void> {
    process.kill(this.handle.pid, 'SIGKILL');
    while (isRunning(this.handle)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async restart(): Promise<void> {
    this.handle = await startObjectStore({ dataDir: this.dataDir, ...KEYS, ports: this.handle.ports });
  }

  async close(): Promise<void> {
    await this.handle.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
