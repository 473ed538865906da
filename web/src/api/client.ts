import createClient, { type Client } from 'openapi-fetch';
import { ApiError, unreachable } from './errors';
import type { components, paths } from './generated/schema';

export type Schemas = components['schemas'];
export type Api = Client<paths>;

/** Calls that belong to no tenant: accounts, sessions, administration of the installation. */
export const api: Api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });

const ofTenants = new Map<string, Api>();

/** The API as one tenant sees it. @param code the tenant's code, as it stands in the address of the page */
export function apiOf(code: string): Api {
  const known = ofTenants.get(code);
  if (known) return known;
  const made = createClient<paths>({
    baseUrl: '/',
    credentials: 'same-origin',
    headers: { 'X-Tenant': code },
  });
  ofTenants.set(code, made);
  return made;
}

/** Path of the API as an address of this page with the tenant, for pictures and downloads that no header can go with. */
export function tenantUrl(
  code: string,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): string {
  const parameters = new URLSearchParams({ tenant: code });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `${path}?${parameters.toString()}`;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of an answer. @throws ApiError for every refusal and when the server cannot be reached */
export async function body<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call.catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable(error);
  });
  if (!answer.response.ok) throw ApiError.of(answer.response, answer.error);
  return answer.data as T;
}
