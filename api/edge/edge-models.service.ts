import { conflict, notFound } from '../../core/errors/app-error.js';
import { MAX_PLAIN_LIST, type Page } from '../../core/paging/page.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import type { DeviceCaller } from '../../models/edge/devices/device-caller.types.js';
import { type FetchableVersion, listFetchableVersions } from '../../models/edge/edge-models.queries.js';
import { findImagesOfVersions } from '../../models/images/image.queries.js';
import { imageRef } from '../../models/images/image.types.js';
import type { TenantDatabase } from '../../models/orm/tenant-lane.js';
import { listModels } from '../../models/registry/model.queries.js';
import type { ModelFile, ModelRow } from '../../models/registry/model.types.js';
import { findVersion, listVersionFiles } from '../../models/registry/version.queries.js';
import type { Download } from '../http/answers/send-download.js';
import type { SendableObject } from '../http/answers/send-object.js';
import { modelDownload } from '../registry/model-download.js';

/** What a device pulls to run a version. */
export interface PullableImage {
  readonly imageRef: string;
  readonly digest: string;
  readonly sizeBytes: number;
}

/** Models of a device's tenant, as the device fetches them. */
export class EdgeModelsService {
  constructor(
    private readonly db: TenantDatabase,
    private readonly objects: ObjectStore,
    /** Host part of image references. */
    readonly registryHost: string,
  ) {}

  list(caller: DeviceCaller): Promise<Page<ModelRow>> {
    const all = {
      page: 1,
      pageSize: MAX_PLAIN_LIST,
      offset: 0,
      q: null,
      sort: 'name',
      order: 'asc',
    } as const;
    return this.db.inTenant(caller.tenantId, (tx) => listModels(tx, all));
  }

  versions(
    caller: DeviceCaller,
    name: string,
    only: number | null,
  ): Promise<{ readonly items: readonly FetchableVersion[]; readonly total: number }> {
    return this.db.inTenant(caller.tenantId, (tx) => listFetchableVersions(tx, name, only));
  }

  /**
   * One file with its digest, which can be fetched in ranges, or all of several files as a ZIP.
   * @param path of one file; null: the whole version
   */
  async download(
    caller: DeviceCaller,
    name: string,
    version: number,
    path: string | null,
  ): Promise<{ readonly file: SendableObject } | { readonly archive: Download }> {
    const files = await this.db.inTenant(caller.tenantId, async (tx) => {
      const found = await findVersion(tx, name, version);
      if (!found) throw notFound('Model version');
      return listVersionFiles(tx, found.id);
    });
    const chosen = path === null ? files : files.filter((file) => file.path === path);
    const [first] = chosen;
    if (!first) throw notFound('Model file');
    return chosen.length === 1
      ? { file: this.sendable(first) }
      : { archive: modelDownload(this.objects, `${name}-v${version}`, chosen) };
  }

  /** @throws AppError not_found without an image, conflict for one that is not ready */
  pull(caller: DeviceCaller, name: string, version: number): Promise<PullableImage> {
    return this.db.inTenant(caller.tenantId, async (tx) => {
      const found = await findVersion(tx, name, version);
      if (!found) throw notFound('Model version');
      const image = (await findImagesOfVersions(tx, [found.id])).get(found.id);
      if (!image) throw notFound('Image of this model version');
      const ref = image.status === 'READY' ? imageRef(this.registryHost, image) : null;
      if (ref === null || image.manifestDigest === null)
        throw conflict('The image of this version is not ready.', { status: image.status });
      return { imageRef: ref, digest: image.manifestDigest, sizeBytes: image.sizeBytes };
    });
  }

  private sendable(file: ModelFile): SendableObject {
    return {
      sizeBytes: file.sizeBytes,
      etag: file.sha256,
      mediaType: 'application/octet-stream',
      isInline: false,
      fileName: file.path.slice(file.path.lastIndexOf('/') + 1),
      open: (range, signal) => this.objects.get(file.objectKey, { signal, ...(range ? { range } : {}) }),
    };
  }
}
