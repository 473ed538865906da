import type { ObjectStore } from '../../core/ports/object-store.js';
import { readNetwork } from '../../formats/yaml/mlmodel.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { findModel } from '../../models/registry/model.queries.js';
import { readModelText } from '../../models/registry/model-file-reader.js';
import { findVersion, listVersionFiles } from '../../models/registry/version.queries.js';
import { type AskedVersion, versionAskedFor } from '../../models/training/config/check-version-weights.js';
import type { Caller } from '../http/routing/request-context.js';

/** Versions of the tenant's models, as trainings may begin with them. */
export class VersionWeightsService {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore,
  ) {}

  /** @param given an unchecked config @returns null where it asks for no version that could exist */
  async find(caller: Caller, given: unknown): Promise<AskedVersion | null> {
    const asked = versionAskedFor(given);
    if (asked === null) return null;
    const found = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const model = await findModel(tx, asked.name);
      if (!model) return { is: 'no model' } as const;
      const newest = model.latestVersion;
      const wanted = asked.version ?? newest;
      const version = wanted === null ? null : await findVersion(tx, model.name, wanted);
      if (!version) return { is: 'no version', newest } as const;
      return { is: 'known', row: version, files: await listVersionFiles(tx, version.id) } as const;
    });
    if (found.is !== 'known') return found;
    const { row, files } = found;
    const text = await readModelText(this.objects, files, 'MLmodel');
    const network = text === null ? null : readNetwork(text);
    const sha256 = files.find(({ path }) => path === network?.data)?.sha256 ?? null;
    const { version, task, framework } = row;
    return { is: 'known', version, task, framework, network: network?.model ?? null, sha256 };
  }
}
