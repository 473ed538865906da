import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import { text } from '../../text';

/** Things that are read at a time. */
export const OFFERED = 50;

/** One thing that can be chosen. */
export interface Offer {
  readonly value: string;
  readonly label: string;
}

interface Asked {
  readonly q: string | undefined;
  readonly page: number;
  readonly signal: AbortSignal;
}

/** What a choice offers, read from the platform page by page. */
export interface Offers {
  readonly key: readonly unknown[];
  /** Whether the platform looks for what is typed; otherwise it is looked for among what was read. */
  readonly isSearched: boolean;
  readonly read: (asked: Asked) => Promise<readonly Offer[]>;
}

/** Models of the tenant, those changed last first. */
export const modelOffers = ({ api, code }: Tenant): Offers => ({
  key: [code, 'models', 'offers'],
  isSearched: true,
  read: async ({ q, page, signal }) => {
    const query = { q, page, page_size: OFFERED, sort: 'updated_at', order: 'desc' } as const;
    const { items } = await body(api.GET('/api/v1/models', { params: { query }, signal }));
    return items.map(({ name }) => ({ value: name, label: name }));
  },
});

/** Versions of a model with their stages, newest first. */
export const versionOffers = ({ api, code }: Tenant, model: string): Offers => ({
  key: [code, 'models', model, 'versions', 'offers'],
  isSearched: false,
  read: async ({ page, signal }) => {
    const params = { path: { name: model }, query: { page, page_size: OFFERED } };
    const { items } = await body(api.GET('/api/v1/models/{name}/versions', { params, signal }));
    return items.map(({ version, stage }) => ({
      value: String(version),
      label:
        stage === 'None'
          ? text.models.version(version)
          : `${text.models.version(version)} · ${text.models.stages[stage]}`,
    }));
  },
});

/** Datasets that can be trained on, newest first. */
export const frozenOffers = ({ api, code }: Tenant): Offers => ({
  key: [code, 'datasets', 'frozen', 'offers'],
  isSearched: true,
  read: async ({ q, page, signal }) => {
    const query = { status: 'FROZEN', q, page, page_size: OFFERED } as const;
    const { items } = await body(api.GET('/api/v1/datasets', { params: { query }, signal }));
    return items.map(({ id, name }) => ({ value: id, label: name }));
  },
});

/** Images that can be served, newest first. */
export const imageOffers = ({ api, code }: Tenant): Offers => ({
  key: [code, 'images', 'ready', 'offers'],
  isSearched: true,
  read: async ({ q, page, signal }) => {
    const query = { status: 'READY', q, page, page_size: OFFERED } as const;
    const { items } = await body(api.GET('/api/v1/registry/images', { params: { query }, signal }));
    return items.map((image) => ({ value: image.id, label: imageLabel(image) }));
  },
});

/** What an image is called. */
export const imageLabel = ({ repository, tag }: Pick<Schemas['ImageOut'], 'repository' | 'tag'>): string =>
  tag === null ? repository : `${repository}:${tag}`;
