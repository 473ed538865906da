import { createHash } from 'node:crypto';
import type { DeviceClient } from './device-client.js';
import type { Figures } from './figures.js';

export interface WantedVersion {
  readonly name: string;
  readonly version: number;
  /** The sha256 of the version's only file, as the command promised it; null: what the platform lists is taken. */
  readonly sha256: string | null;
}

interface ListedFile {
  readonly path: string;
  readonly size_bytes: number;
  readonly sha256: string;
}

interface Listing {
  readonly items: ReadonlyArray<{ readonly version: number; readonly files: readonly ListedFile[] }>;
}

/** The files of a version, fetched one by one as the agent for devices does; what was fetched is not fetched again. */
export class VersionDownload {
  private readonly fetched = new Set<string>();

  /** @param isChecked whether the device takes the hash of what comes */
  constructor(
    private readonly client: DeviceClient,
    private readonly figures: Figures,
    private readonly wanted: WantedVersion,
    private readonly isChecked: boolean,
  ) {}

  /** @returns what is wrong with it, null when nothing is @throws Absent, Refused */
  async fetch(signal: AbortSignal): Promise<string | null> {
    const { name, version, sha256 } = this.wanted;
    const files = await this.list(signal);
    if (files === null) return `the platform has no version ${version} of ${name}`;
    if (sha256 !== null && (files.length !== 1 || files[0]?.sha256 !== sha256))
      return `the platform lists other files than the one with the sha256 ${sha256} that was promised`;
    for (const file of files) {
      if (this.fetched.has(file.path)) continue;
      await this.fetchFile(file, signal);
      this.fetched.add(file.path);
    }
    return null;
  }

  private async list(signal: AbortSignal): Promise<readonly ListedFile[] | null> {
    const { body } = await this.client.call<Listing>({
      ...{ name: 'versions', method: 'GET', signal, mayRefuse: [404] },
      path: `${this.model}/versions`,
    });
    return body.items.find(({ version }) => version === this.wanted.version)?.files ?? null;
  }

  private async fetchFile(file: ListedFile, signal: AbortSignal): Promise<void> {
    const { name, version } = this.wanted;
    const hash = this.isChecked ? createHash('sha256') : null;
    let bytes = 0;
    await this.client.call({
      ...{ name: 'download', method: 'GET', signal, mayRefuse: [404] },
      path: `${this.model}/${version}/download?path=${encodeURIComponent(file.path)}`,
      sink: (piece) => {
        bytes += piece.length;
        hash?.update(piece);
      },
    });
    this.figures.downloads.count += 1;
    this.figures.downloads.bytes += bytes;
    const found = hash?.digest('hex') ?? file.sha256;
    if (bytes !== file.size_bytes || found !== file.sha256)
      this.figures.breach(`${file.path} of ${name} version ${version} is not what its list says`);
  }

  private get model(): string {
    return `/models/${encodeURIComponent(this.wanted.name)}`;
  }
}
