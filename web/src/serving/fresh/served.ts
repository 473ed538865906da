import type { Schemas } from '../../api/client';
import type { CurlCall } from '../../shared/call-lines';

/** What is to be served: an image that is ready, or a version whose image is built when there is none. */
export type Served =
  | { readonly kind: 'image'; readonly id: string }
  | { readonly kind: 'version'; readonly name: string; readonly version: number };

/** What of an image says whether it can be served. */
type KnownImage = Pick<Schemas['ImageOut'], 'id' | 'status'>;

/**
 * A version whose image is ready is served by that one: only the building of an image needs a permission of its own.
 * @param image that of the version; null: there is none, undefined: nobody knows yet
 */
export const withReadyImage = (served: Served | null, image: KnownImage | null | undefined): Served | null =>
  served?.kind === 'version' && image?.status === 'READY' ? { kind: 'image', id: image.id } : served;

/** The first call that an endpoint takes: the endpoint itself, or its image as long as there is none. */
export function firstCall(served: Served, fields: object): CurlCall {
  if (served.kind === 'image')
    return { method: 'POST', path: '/api/v1/serving/endpoints', body: { ...fields, image_id: served.id } };
  const { name, version } = served;
  return { method: 'POST', path: `/api/v1/models/${encodeURIComponent(name)}/${version}/image` };
}
