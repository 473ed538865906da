import { buffer } from 'node:stream/consumers';
import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { asTenantId } from '../../core/security/ids.js';
import type { JobClaims } from '../../core/security/job-token.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import {
  isCutLine,
  MANIFEST_START,
  MANIFEST_WINDOW_BYTES,
  MAX_MANIFEST_WINDOW_BYTES,
  readManifestPage,
} from '../../models/datasets/validation/manifest-page.rules.js';
import type { ManifestFile } from '../../models/datasets/validation/manifest.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { type ExperimentRow, findAttempt } from '../../models/training/experiment.queries.js';
import { trainingFiles } from '../../models/training/training-files.rules.js';
import { jobClaims, openRun, requireOwnRun } from './job-access.js';

/** An address is for now: whoever comes later asks for the page again. */
const ADDRESS_S = 900;
export const MAX_PAGE_FILES = 1000;
export const DEFAULT_PAGE_FILES = 500;

type FileFacts = Pick<
  ManifestFile,
  'path' | 'sha256' | 'size' | 'label' | 'split' | 'annotation' | 'entries'
>;

export interface JobFile extends FileFacts {
  readonly url: string;
}

export interface JobFilePage {
  readonly files: readonly JobFile[];
  readonly next: number | null;
  readonly expires_in_s: number;
}

/** What a job learns of a file; absent values are left out. */
function factsOf({ path, sha256, size, label, split, annotation, entries }: ManifestFile): FileFacts {
  return {
    ...{ path, sha256, size },
    ...(label !== undefined && { label }),
    ...(split !== undefined && { split }),
    ...(annotation !== undefined && { annotation }),
    ...(entries !== undefined && { entries }),
  };
}

/** The files that an attempt is trained from, in pages, each file with an address that lives shortly. */
export class JobDatasetService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    private readonly keys: KeyRing,
  ) {}

  claims(authorization: string | undefined): JobClaims {
    return jobClaims(this.keys, authorization);
  }

  /**
   * @param cursor null: from the beginning
   * @param limit how many files of the dataset are looked at; those that the attempt does not need are left out
   */
  async page(
    claims: JobClaims,
    runId: string,
    cursor: number | null,
    limit: number,
    signal: AbortSignal,
  ): Promise<JobFilePage> {
    requireOwnRun(claims, runId);
    const { manifestKey, config } = await this.attempt(claims);
    const offset = cursor ?? MANIFEST_START;
    const { files, next } = readManifestPage(await this.window(manifestKey, offset, signal), offset, limit);
    const addressed = trainingFiles(files, config).map(async (file) => ({
      ...factsOf(file),
      url: await this.objects.presign('GET', file.key, ADDRESS_S),
    }));
    return { files: await Promise.all(addressed), next, expires_in_s: ADDRESS_S };
  }

  /** The manifest from before an offset on, as far as its first line at least. */
  private async window(key: string, offset: number, signal: AbortSignal): Promise<Buffer> {
    const read = async (bytes: number) => {
      const range = { start: offset - 1, end: offset - 2 + bytes };
      return buffer(await this.objects.get(key, { range, signal }));
    };
    const window = await read(MANIFEST_WINDOW_BYTES);
    return isCutLine(window) ? read(MAX_MANIFEST_WINDOW_BYTES) : window;
  }

  private attempt(claims: JobClaims): Promise<ExperimentRow> {
    const { tenantId, attempt } = claims;
    return this.db.inTenant(asTenantId(tenantId), async (tx) => {
      const { trainingId } = await openRun(tx, claims);
      const found =
        trainingId === null ? null : await findAttempt(tx, { tenantId, experimentId: trainingId, attempt });
      if (!found) throw notFound('Dataset of this attempt');
      return found;
    });
  }
}
