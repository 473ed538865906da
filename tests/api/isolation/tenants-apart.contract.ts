import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomName } from '../support/resource-factory.js';
import { openSse } from '../support/sse-reader.js';
import type { TestUser, Walls } from '../support/test-api.js';
import { readEverything } from './foreign-reads.js';
import { askWithField, FOREIGN_FIELDS, NO_REFERENCES, referencesOf } from './foreign-fields.js';
import { fillPath, type Operation } from './operations.js';
import { probe, type ProbeAnswer, sampleBody, sampleQuery } from './probe.js';
import { EXEMPT, factoryOf } from './resource-factories.js';
import { stampTexts } from './stamp-texts.js';
import { fingerprint, startTenantPair, type TenantPair } from './tenant-pair.js';

const STREAMS = [
  'alerts',
  'notifications',
  'deployments',
  'edge',
  'experiment-logs',
  'tenant-deletions',
] as const;

/** What must hold between two tenants, with both walls and with either of them alone. */
export function describeTenantsApart(walls: Walls): void {
  describe(`tenants kept apart by ${walls}`, () => {
    let pair: TenantPair;
    beforeAll(async () => {
      pair = await startTenantPair(walls);
    });
    afterAll(() => pair.api.close());

    const ask = (operation: Operation, values: Readonly<Record<string, string>>, user: TestUser = pair.ofB) =>
      probe(pair.api, operation, {
        token: user.token,
        tenant: pair.b.code,
        path: fillPath(operation.path, (name) => values[name] ?? '!') + sampleQuery(pair.api, operation),
        ...sampleBody(pair.api, operation),
      });
    /** One line for each answer that distinguishes a foreign resource from one that does not exist. */
    const compare = async (
      who: string,
      operation: Operation,
      foreign: Promise<ProbeAnswer>,
      none: Promise<ProbeAnswer>,
    ): Promise<string[]> => {
      const [theirs, nothing] = [await foreign, await none];
      if (theirs.status === 404 && nothing.status === 404 && theirs.text === nothing.text) return [];
      return [
        `${operation.key} by ${who}: ${theirs.status} ${theirs.text.slice(0, 200)} / ${nothing.status} ${nothing.text.slice(0, 200)}`,
      ];
    };

    it('knows how to make a resource for every operation that names one', () => {
      const lacking = pair.named.filter((operation) => {
        const made = factoryOf(operation.path)?.random() ?? {};
        return operation.pathParameters.some((name) => made[name] === undefined);
      });
      expect(lacking.map((operation) => operation.key)).toEqual([]);
      expect(
        Object.keys(EXEMPT).filter((key) => !pair.operations.some((operation) => operation.key === key)),
      ).toEqual([]);
    });

    it('answers for a resource of another tenant exactly as for one that does not exist, whoever asks, and changes nothing', async () => {
      const before = await fingerprint(pair.api, pair.a.id);
      expect(before['object store']).toContain(pair.a.id);
      const found: string[] = [];
      for (const operation of pair.named) {
        const factory = factoryOf(operation.path);
        const [real, random] = [pair.theirs.get(factory?.prefix ?? ''), factory?.random()];
        if (!real || !random) throw new Error(`no resource for ${operation.key}`);
        for (const [who, user] of Object.entries(pair.askers))
          found.push(
            ...(await compare(who, operation, ask(operation, real, user), ask(operation, random, user))),
          );
      }
      expect(found).toEqual([]);
      expect(await fingerprint(pair.api, pair.a.id)).toEqual(before);
    });

    it("finds no part of another tenant's resource below one's own", async () => {
      const before = await fingerprint(pair.api, pair.a.id);
      const found: string[] = [];
      for (const operation of pair.named.filter((each) => each.pathParameters.length > 1)) {
        const prefix = factoryOf(operation.path)?.prefix ?? '';
        const [theirs, mine, random] = [
          pair.theirs.get(prefix),
          pair.own.get(prefix),
          factoryOf(operation.path)?.random(),
        ];
        for (const part of operation.pathParameters
          .slice(1)
          .filter((name) => theirs?.[name] !== mine?.[name])) {
          const below = (value: string | undefined) => ask(operation, { ...mine, [part]: value as string });
          found.push(
            ...(await compare('a member of B', operation, below(theirs?.[part]), below(random?.[part]))),
          );
        }
      }
      expect(found).toEqual([]);
      expect(await fingerprint(pair.api, pair.a.id)).toEqual(before);
    });

    it('knows of every field that looks as if it named a resource whose it is', () => {
      const known = new Set(FOREIGN_FIELDS.map(({ field }) => field));
      const seen = new Set<string>();
      const unknown = pair.operations
        .filter(({ access }) => access === 'user' || access === 'session')
        .flatMap((operation) =>
          referencesOf(pair.api, operation).map((field) => [`${operation.key} ${field}`, field] as const),
        )
        .filter(([whole, field]) => {
          const key = [whole, field].find((each) => NO_REFERENCES[each] !== undefined || known.has(each));
          if (key !== undefined) seen.add(key);
          return key === undefined;
        });
      expect(unknown.map(([whole]) => whole)).toEqual([]);
      expect([...known, ...Object.keys(NO_REFERENCES)].filter((key) => !seen.has(key))).toEqual([]);
    });

    it('answers for a resource of another tenant in a body or a query exactly as for one that does not exist, and changes nothing', async () => {
      const before = await fingerprint(pair.api, pair.a.id);
      const found: string[] = [];
      for (const field of FOREIGN_FIELDS) {
        for (const [who, user] of Object.entries(pair.askers)) {
          const { foreign, none, own } = await askWithField(pair, field, user);
          const lines = { foreign, none, own };
          const isFound =
            foreign.status < 300 && !field.field.startsWith('GET ') && !field.field.includes(':validate ');
          const isSame = foreign.status === none.status && foreign.text === none.text;
          // Where one's own is answered as none is, the field was never looked at.
          if (!isSame || isFound || foreign.status === 500 || own.text === none.text)
            found.push(`${field.field} by ${who}: ${JSON.stringify(lines).slice(0, 900)}`);
        }
      }
      expect(found).toEqual([]);
      expect(await fingerprint(pair.api, pair.a.id)).toEqual(before);
    });

    it('gives no token for a tenant that one is no member of, and does not tell it from one that does not exist', async () => {
      const give = (tenant_code: string) =>
        pair.api.call('POST', '/users/me/tokens', {
          token: pair.ofB.token,
          json: { kind: 'tracker', name: 'n', tenant_code },
        });
      const [theirs, none] = [await give(pair.a.code), await give(`t-${randomName()}`)];
      expect(theirs.status).toBeGreaterThanOrEqual(400);
      expect([theirs.status, theirs.body.detail]).toEqual([none.status, none.body.detail]);
      expect((await give(pair.b.code)).status).toBe(201);
    });

    it('sends no event of one tenant to the streams of another', async () => {
      const { api, a, b, ofA, ofB, canary, own, theirs } = pair;
      const id = own.get('/api/v1/training/')?.experiment_id as string;
      const headers = { authorization: `Bearer ${ofB.token}`, 'x-tenant': b.code };
      const stream = await openSse(`${api.base}/api/v1/training/experiments/${id}/logs`, headers);
      expect((await stream.next()).event).toBe('connected');
      const ids = [id, ofB.id, ofA.id, theirs.get('/api/v1/training/')?.experiment_id as string, a.id, b.id];
      const foreign = STREAMS.flatMap((kind) =>
        ids.map((each) => ({ stream: kind, tenantId: a.id, id: each, event: 'step', data: { canary } })),
      );
      api.container.events.publish(foreign);
      api.container.events.publish([
        { stream: 'experiment-logs', tenantId: b.id, id, event: 'step', data: { last: true } },
      ]);
      expect((await stream.next()).data).toMatchObject({ last: true });
      stream.close();
    });

    it('lets no text of one tenant out to another, wherever it stands and however it is asked for', async () => {
      const { api, a, ofA, canary } = pair;
      await api.call('PATCH', '/users/me', { token: ofA.token, json: { full_name: canary, phone: canary } });
      const { stamped } = await stampTexts(api, a.id, canary);
      expect(stamped.length).toBeGreaterThan(40);
      const leaks: string[] = [];
      const broken: string[] = [];
      let requests = 0;
      for await (const { path, answer } of readEverything(pair)) {
        requests += 1;
        if (answer.text.includes(canary)) leaks.push(path);
        if (answer.status === 500) broken.push(`${path}: ${answer.status}`);
      }
      expect([leaks, broken]).toEqual([[], []]);
      expect(requests).toBeGreaterThan(150);
    });
  });
}
