import { kindOf } from './notification-catalog.rules.js';

/** A notification that a transaction asked for. */
export interface NotificationRequest {
  id: number;
  tenantId: string | null;
  kind: string;
  subject: string;
  userId: string | null;
  title: string;
  body: string;
  link: string | null;
}

/** One entry to be, for everybody who is notified: `count` requests in the texts of the latest. */
export interface Gathered extends Omit<NotificationRequest, 'userId'> {
  count: number;
  /** People named by any of the requests. */
  people: ReadonlySet<string>;
}

/**
 * Joins requests that are the same by their kind's rule, so that a storm is one entry with a count. In the
 * order in which each was last asked for. Kinds that are not in the catalog (written by a newer version) are
 * left out.
 */
export function joinRequests(requests: readonly NotificationRequest[]): Gathered[] {
  const gathered = new Map<string, Gathered>();
  for (const request of requests) {
    const kind = kindOf(request.kind);
    if (!kind) continue;
    const subject = kind.same === 'kind' ? '' : request.subject;
    const key = JSON.stringify([request.tenantId, request.kind, subject]);
    const before = gathered.get(key);
    const people = new Set(before?.people).add(request.userId ?? '');
    people.delete('');
    gathered.delete(key);
    gathered.set(key, { ...request, subject, people, count: (before?.count ?? 0) + 1 });
  }
  return [...gathered.values()];
}

/** The texts of an entry that stands for `count` happenings; title and body are those of the latest. */
export function textsOf(entry: {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly count: number;
}): { title: string; body: string } {
  if (entry.count === 1) return { title: entry.title, body: entry.body };
  const kind = kindOf(entry.kind);
  const times = entry.count.toLocaleString('en-US');
  if (kind?.same === 'kind')
    return { title: `${kind.title}: ${times}`, body: `The latest: ${entry.title}. ${entry.body}`.trim() };
  return { title: `${entry.title} (${times} times)`, body: entry.body };
}
