import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../core/errors/app-error.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { type ModelSignature, readSignature } from '../../formats/yaml/mlmodel.js';
import type { ImageRow } from '../../models/images/image.types.js';
import { findImagesOfVersions } from '../../models/images/image.queries.js';
import { trainingClasses } from '../../models/monitoring/model-metrics.queries.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import {
  type ClassComparison,
  compareClasses,
  compareFiles,
  type FilePair,
  type Pair,
  pairsOf,
} from '../../models/registry/compare-versions.rules.js';
import type { ModelFile, ModelVersionRow } from '../../models/registry/model.types.js';
import { readModelText } from '../../models/registry/model-file-reader.js';
import { findVersion, listVersionFiles } from '../../models/registry/version.queries.js';
import { findRunRecord } from '../../models/tracker/runs/run-record.queries.js';
import type { RunRecord } from '../../models/tracker/runs/run-record.types.js';
import type { Caller } from '../http/routing/request-context.js';

interface Side {
  readonly version: ModelVersionRow;
  readonly image: ImageRow | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly files: readonly ModelFile[];
  readonly dataClasses: readonly string[];
}

interface Described {
  readonly signature: ModelSignature | null;
  readonly classes: readonly string[] | null;
}

export interface VersionComparison {
  readonly from: Side;
  readonly to: Side;
  readonly metrics: ReadonlyArray<Pair<number>>;
  readonly params: ReadonlyArray<Pair<string>>;
  readonly signature: {
    readonly from: ModelSignature | null;
    readonly to: ModelSignature | null;
    readonly isSame: boolean;
  };
  readonly classes: ClassComparison;
  readonly files: readonly FilePair[];
}

/** Two versions of a model side by side. */
export class VersionCompareService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
    readonly registryHost: string,
  ) {}

  /** @throws AppError not_found */
  async compare(caller: Caller, name: string, from: number, to: number): Promise<VersionComparison> {
    const [before, after] = await this.db.inTenant(caller.tenant.tenantId, async (tx) => [
      await readSide(tx, name, from),
      await readSide(tx, name, to),
    ]);
    if (!before || !after) throw notFound('Model version');
    const [then, now] = await Promise.all([this.describe(before), this.describe(after)]);
    return {
      from: before,
      to: after,
      metrics: pairsOf(before.version.metrics, after.version.metrics),
      params: pairsOf(before.params, after.params),
      signature: {
        from: then.signature,
        to: now.signature,
        isSame: isDeepStrictEqual(then.signature, now.signature),
      },
      classes: compareClasses(then.classes, now.classes),
      files: compareFiles(before.files, after.files),
    };
  }

  /** What the model's own files say; classes that they do not name are those of its training data. */
  private async describe({ files, dataClasses }: Side): Promise<Described> {
    const [mlmodel, labels] = await Promise.all([
      readModelText(this.objects, files, 'MLmodel'),
      readModelText(this.objects, files, 'labels.json'),
    ]);
    const ofData = dataClasses.length > 0 ? [...dataClasses] : null;
    return {
      signature: mlmodel === null ? null : readSignature(mlmodel),
      classes: (labels === null ? null : readLabels(labels)) ?? ofData,
    };
  }
}

async function readSide(tx: TenantTransaction, name: string, number: number): Promise<Side | null> {
  const version = await findVersion(tx, name, number);
  if (!version) return null;
  const classes = await trainingClasses(tx, version);
  return {
    version,
    image: (await findImagesOfVersions(tx, [version.id])).get(version.id),
    params: paramsOf(await findRunRecord(tx, version.runId)),
    files: await listVersionFiles(tx, version.id),
    dataClasses: [...classes.keys()],
  };
}

/** Also of a run that lies in the bin: its version stays, and so does what it was made with. */
const paramsOf = (run: RunRecord | null): Record<string, string> =>
  Object.fromEntries((run?.params ?? []).map(({ key, value }) => [key, value]));

function readLabels(text: string): string[] | null {
  try {
    const parsed = JSON.parse(text) as unknown;
    return Array.isArray(parsed) && parsed.every((each) => typeof each === 'string') ? parsed : null;
  } catch {
    return null;
  }
}
