import { type Page, toListQuery } from '../../core/paging/page.js';
import type { ImageRow } from '../../models/images/image.types.js';
import { IMAGE_SORTS, listImages } from '../../models/images/image.queries.js';
import { requestModelImage } from '../../models/images/model-image.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { Caller } from '../http/routing/request-context.js';
import type { ImageListQuery } from './images.schemas.js';

/** What people do with images. */
export class ImagesService {
  constructor(
    private readonly db: Database,
    /** Host part of image references. */
    readonly registryHost: string,
  ) {}

  list(caller: Caller, { status, model, ...std }: ImageListQuery): Promise<Page<ImageRow>> {
    const query = toListQuery(std, IMAGE_SORTS, 'desc');
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      listImages(tx, query, { status: status ?? null, model: model ?? null }),
    );
  }

  build(caller: Caller, modelName: string, version: number): Promise<ImageRow> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) =>
      requestModelImage(tx, caller.actor, modelName, version),
    );
  }
}
