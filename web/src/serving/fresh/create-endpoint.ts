import { body, type Schemas } from '../../api/client';
import { ApiError, isPassing } from '../../api/errors';
import type { Tenant } from '../../app/session';
import { text } from '../../text';
import { patiently, pause } from './patiently';
import type { Served } from './served';

export type Phase = 'building' | 'creating';

export type EndpointFields = Pick<
  Schemas['CreateEndpointBody'],
  'name' | 'replicas' | 'gpu' | 'validation_dataset_id'
>;

const LOOK_MS = 1_000;

/** A build may take long: once it is under way, an outage and the end of a session are waited out. @param onPhase gets what is under way @throws ApiError, and Error when the image cannot be built */
export async function createEndpoint(
  tenant: Tenant,
  served: Served,
  fields: EndpointFields,
  onPhase: (phase: Phase) => void,
): Promise<Schemas['EndpointOut']> {
  const create = (id: string) =>
    body(tenant.api.POST('/api/v1/serving/endpoints', { body: { ...fields, image_id: id } }));
  if (served.kind === 'image') {
    onPhase('creating');
    return create(served.id);
  }
  onPhase('building');
  const id = await builtImage(tenant, served.name, served.version);
  onPhase('creating');
  return createdOnce(tenant, fields.name, id, () => create(id));
}

/** A call without an answer may have made the endpoint: the name is then taken by what was wanted. */
function createdOnce(
  { api }: Tenant,
  name: string,
  imageId: string,
  create: () => Promise<Schemas['EndpointOut']>,
): Promise<Schemas['EndpointOut']> {
  let mayBeThere = false;
  return patiently(async () => {
    try {
      return await create();
    } catch (error) {
      mayBeThere ||= isPassing(error);
      if (!mayBeThere || !(error instanceof ApiError && error.status === 409)) throw error;
      const there = await body(api.GET('/api/v1/serving/endpoints/{name}', { params: { path: { name } } }));
      if (there.image_id !== imageId) throw error;
      return there;
    }
  });
}

/** Id of the version's image once it is ready. Asking again answers the same image. */
async function builtImage(tenant: Tenant, name: string, version: number): Promise<string> {
  const ask = () =>
    body(tenant.api.POST('/api/v1/models/{name}/{version}/image', { params: { path: { name, version } } }));
  for (let image = await ask(); ; image = await patiently(ask)) {
    if (image.status === 'READY') return image.id;
    if (image.status === 'FAILED') throw new Error(image.status_message ?? text.serving.fresh.buildFailed);
    await pause(LOOK_MS);
  }
}
