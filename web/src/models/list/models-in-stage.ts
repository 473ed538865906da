import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import { type ListSearch, listQuery, PAGE_SIZE } from '../../shared/list/column';
import { isStageKey } from '../stages/stages';

type ModelPage = Pick<Schemas['ModelPage'], 'items' | 'total'> & { readonly total_capped?: boolean };

/** The API filters by Production alone. For the other stages this many models are read and filtered here. */
const MOST_PAGES = 5;
const MOST_OF_A_PAGE = 200;

/** One page of the stage matrix. */
export async function modelsPage(
  tenant: Tenant,
  search: ListSearch,
  signal: AbortSignal,
): Promise<ModelPage> {
  const { stage, production, ...rest } = search;
  const isProduction = production === undefined ? undefined : production === 'true';
  const ask = (query: object) =>
    body(
      tenant.api.GET('/api/v1/models', {
        params: { query: { ...query, production: isProduction } },
        signal,
      }),
    );
  if (!isStageKey(stage)) return ask(listQuery(rest));
  const found: Schemas['ModelOut'][] = [];
  let read = 0;
  let total = 0;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await ask({ ...rest, page, page_size: MOST_OF_A_PAGE });
    found.push(...answer.items.filter((model) => model.stages[stage].length > 0));
    read += answer.items.length;
    total = answer.total;
    if (answer.items.length === 0 || read >= total) break;
  }
  const from = ((search.page ?? 1) - 1) * PAGE_SIZE;
  return { items: found.slice(from, from + PAGE_SIZE), total: found.length, total_capped: read < total };
}
