import type { ApiClient } from './api-client.js';
import { MODEL_NAME } from './training-step.js';
import { waitFor } from './wait.js';

const PROMOTE_MS = 5 * 60_000;
const ENDED = new Set(['REJECTED', 'EXPIRED', 'FAILED', 'ROLLED_BACK']);

interface PromotionOut {
  readonly id: string;
  readonly model_name: string;
  readonly to_version: number;
  readonly status: string;
  readonly status_message: string;
}

const WORDS: Readonly<Record<string, string>> = {
  WAITING_APPROVAL: 'waiting for an approval',
  APPLIED: 'in Production',
};

/**
 * Puts the version into Production, unless it is there or people have archived it since. Where the tenant wants a second
 * person to approve, the request is left to that person.
 * @returns where the version stands, in the words of the card
 */
export async function ensurePromoted(api: ApiClient, version: number, signal: AbortSignal): Promise<string> {
  const { stage } = await api.get<{ stage: string }>(`/api/v1/models/${MODEL_NAME}/versions/${version}`);
  if (stage === 'Production' || stage === 'Archived') return `in ${stage}`;
  const { id } = (await underWay(api, version)) ?? (await request(api, version));
  return waitFor('the promotion', PROMOTE_MS, signal, async () => {
    const promotion = await api.get<PromotionOut>(`/api/v1/promotions/${id}`);
    if (ENDED.has(promotion.status))
      throw new Error(`The promotion ended as ${promotion.status}: ${promotion.status_message}`);
    return WORDS[promotion.status];
  });
}

const request = (api: ApiClient, version: number): Promise<PromotionOut> =>
  api.post<PromotionOut>(`/api/v1/models/${MODEL_NAME}/${version}/promote`, {
    to_version: version,
    reason: 'The sample measured it on images that it never saw.',
  });

/** The request of an earlier run that was interrupted. */
async function underWay(api: ApiClient, version: number): Promise<PromotionOut | undefined> {
  for (const status of ['PENDING_CHECKS', 'WAITING_APPROVAL', 'APPROVED']) {
    const { items } = await api.get<{ items: readonly PromotionOut[] }>(
      `/api/v1/promotions?status=${status}&page_size=200`,
    );
    const found = items.find((each) => each.model_name === MODEL_NAME && each.to_version === version);
    if (found) return found;
  }
  return undefined;
}
