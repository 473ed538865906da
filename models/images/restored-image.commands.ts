import type { TenantTransaction } from '../orm/transaction.js';
import { dispatch } from '../outbox/dispatch.js';
import { modelImageStart } from './image-work.types.js';
import { Image } from './image.entity.js';
import { lockImage } from './image.queries.js';

/** A build leaves nothing behind that the next attempt could not write again. */
export async function restartRestoredImage(tx: TenantTransaction, imageId: string): Promise<void> {
  await lockImage(tx, 'id', imageId);
  const image = await tx.em.findOne(Image, { id: imageId, status: 'BUILDING' }, { refresh: true });
  if (!image) return;
  const attempt = image.attempt + 1;
  Object.assign(image, { attempt, updatedAt: new Date() });
  await tx.em.flush();
  await dispatch(tx, { kind: 'start', start: modelImageStart({ tenantId: tx.tenantId, imageId, attempt }) });
}
