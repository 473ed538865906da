import { type ListSearch, PAGE_SIZE } from '../../shared/list/column';
import type { Endpoint } from '../queries';

const SORTS: Readonly<Record<string, (endpoint: Endpoint) => string | number>> = {
  name: ({ name }) => name,
  status: ({ status }) => status,
  last_heartbeat_at: ({ last_heartbeat_at: at }) => at ?? '',
  created_at: ({ created_at: at }) => at,
};

/** The API lists all endpoints at once, so that search, filter, sort and pages are done here. */
export function endpointsOfPage(
  endpoints: readonly Endpoint[],
  search: ListSearch,
): { items: Endpoint[]; total: number } {
  const { q = '', status, sort, order, page = 1 } = search;
  const word = q.toLowerCase();
  const found = endpoints.filter(
    (endpoint) =>
      `${endpoint.name} ${endpoint.image_ref ?? ''}`.toLowerCase().includes(word) &&
      (status === undefined || endpoint.status === status),
  );
  const by = SORTS[sort ?? ''];
  if (by) {
    const turn = order === 'desc' ? -1 : 1;
    found.sort((one, other) => {
      const [a, b] = [by(one), by(other)];
      return a === b ? 0 : a < b ? -turn : turn;
    });
  }
  const from = (page - 1) * PAGE_SIZE;
  return { items: found.slice(from, from + PAGE_SIZE), total: found.length };
}
