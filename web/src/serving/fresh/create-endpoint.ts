import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import { text } from '../../text';
import type { Served } from './served';

export type Phase = 'building' | 'creating';

export type EndpointFields = Pick<
  Schemas['CreateEndpointBody'],
  'name' | 'replicas' | 'gpu' | 'validation_dataset_id'
>;

const LOOK_MS = 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param onPhase gets what is under way @throws ApiError, and Error when the image cannot be built */
export async function createEndpoint(
  tenant: Tenant,
  served: Served,
  fields: EndpointFields,
  onPhase: (phase: Phase) => void,
): Promise<Schemas['EndpointOut']> {
  let id: string;
  if (served.kind === 'image') id = served.id;
  else {
    onPhase('building');
    id = await builtImage(tenant, served.name, served.version);
  }
  onPhase('creating');
  return body(tenant.api.POST('/api/v1/serving/endpoints', { body: { ...fields, image_id: id } }));
}

/** Id of the version's image once it is ready. Asking again answers the same image. */
async function builtImage(tenant: Tenant, name: string, version: number): Promise<string> {
  const ask = () =>
    body(tenant.api.POST('/api/v1/models/{name}/{version}/image', { params: { path: { name, version } } }));
  for (let image = await ask(); ; image = await ask()) {
    if (image.status === 'READY') return image.id;
    if (image.status === 'FAILED') throw new Error(image.status_message ?? text.serving.fresh.buildFailed);
    await pause(LOOK_MS);
  }
}
