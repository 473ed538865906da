import { createHash, randomUUID } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { AppError, badRequest } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { TenantId } from '../../core/security/ids.js';
import {
  adoptObjects,
  giveUpObjects,
  LAST_WRITES_S,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { freeFiles } from '../../models/registry/free-files.commands.js';
import { artifactPathProblem } from '../../models/tracker/artifact-path.rules.js';
import { type FileOwner, lockFiles } from '../../models/tracker/register/file-owner.queries.js';
import type { RunArtifact } from '../../models/tracker/run.types.js';

/** The store takes no larger object in one piece. */
const MAX_ARTIFACT_BYTES = 5 * 1024 ** 3;

/** Where a file belongs: who may write is asked before its bytes come, and again before they are kept. */
export interface ArtifactOwner {
  readonly tenantId: TenantId;
  readonly kind: FileOwner;
  /** Prefix of the keys in the store. */
  readonly prefix: string;
  /** @returns the short id of what owns the file @throws AppError when it takes no files */
  row(tx: TenantTransaction): Promise<number>;
  /** @returns the key of the object that the file replaces, or null */
  put(tx: TenantTransaction, row: number, artifact: RunArtifact): Promise<string | null>;
}

export interface IncomingFile {
  /** Below the owner's root. */
  readonly path: string;
  readonly body: Readable;
  /** From Content-Length. */
  readonly sizeBytes: number | null;
  readonly signal: AbortSignal;
}

/** Stores one file below an owner's root; the same path again replaces it. Nothing is kept of a body that breaks off. */
export class ArtifactIntake {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  async store(owner: ArtifactOwner, { path, body, sizeBytes, signal }: IncomingFile): Promise<void> {
    const problem = artifactPathProblem(path);
    if (problem !== null) throw badRequest(`The artifact path ${problem}.`);
    if (sizeBytes === null) throw badRequest('Send the size of the file as Content-Length.');
    if (sizeBytes > MAX_ARTIFACT_BYTES)
      throw new AppError('payload_too_large', 'A single artifact may have 5 GiB at most.');
    const { tenantId } = owner;
    const objectKey = `${owner.prefix}/${randomUUID()}`;
    await this.db.inTenant(tenantId, async (tx) => {
      await owner.row(tx);
      await recordOrphanedObjects(tx, [{ key: objectKey }]);
    });
    // A write that failed here may still come to its end in the store; one that was answered is over.
    let lingersS = LAST_WRITES_S;
    try {
      const digest = createHash('sha256');
      const hashed = body.pipe(digesting(digest));
      body.once('error', (error) => hashed.destroy(error));
      await this.objects.put(objectKey, hashed, sizeBytes, { signal });
      lingersS = 0;
      await this.keep(owner, { path, sizeBytes, sha256: digest.digest('hex'), objectKey });
    } catch (error) {
      // Left alone it would be removed in a day.
      await this.db
        .inTenant(tenantId, (tx) => giveUpObjects(tx, [objectKey], lingersS))
        .catch(() => undefined);
      throw error;
    }
  }

  /** A file whose object was recorded and is whole in the store. @throws AppError when its owner takes no files */
  async keep(owner: ArtifactOwner, artifact: RunArtifact): Promise<void> {
    await this.db.inTenant(owner.tenantId, async (tx) => {
      const row = await owner.row(tx);
      await lockFiles(tx, owner.kind, row);
      const replaced = await owner.put(tx, row, artifact);
      await adoptObjects(tx, [artifact.objectKey]);
      // A model version that was registered meanwhile keeps the bytes it was made of.
      await freeFiles(tx, replaced === null ? [] : [replaced]);
    });
  }
}

const digesting = (digest: ReturnType<typeof createHash>): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
