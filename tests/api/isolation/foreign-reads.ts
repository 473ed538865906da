import { fillPath, type Operation, type Parameter } from './operations.js';
import { probe, type ProbeAnswer, sampleQuery } from './probe.js';
import { factoryOf } from './resource-factories.js';
import type { TenantPair } from './tenant-pair.js';

/** One read of B, by method and path with its query. */
export interface ForeignRead {
  readonly path: string;
  readonly answer: ProbeAnswer;
}

/** Everything B can read, in every way it can be asked for: searches, sorts, filters, large pages, downloads, B's own resources. */
export async function* readEverything(pair: TenantPair): AsyncGenerator<ForeignRead> {
  for (const operation of pair.operations.filter(
    (each) => each.method === 'GET' && ['user', 'session', 'public'].includes(each.access),
  )) {
    const own = pair.own.get(factoryOf(operation.path)?.prefix ?? '') ?? {};
    if (operation.pathParameters.some((name) => own[name] === undefined)) continue;
    const base = fillPath(operation.path, (name) => own[name] as string);
    for (const query of await queriesOf(pair, operation, base)) {
      const path = base + query;
      yield { path, answer: await ask(pair, path) };
    }
  }
}

const ask = ({ api, ofB, b }: TenantPair, path: string): Promise<ProbeAnswer> =>
  probe(api, { method: 'GET', path }, { token: ofB.token, tenant: b.code, path });

async function queriesOf(pair: TenantPair, operation: Operation, base: string): Promise<string[]> {
  const required = sampleQuery(pair.api, operation);
  const add = (query: string) =>
    query === '' ? required : `${required}${required === '' ? '?' : '&'}${query}`;
  const optional = operation.parameters.filter(
    (parameter) => parameter.in === 'query' && !parameter.required && parameter.name !== 'tenant',
  );
  const values = optional
    .filter(({ name }) => name !== 'sort')
    .flatMap((parameter) =>
      valuesOf(parameter, pair.canary).map((value) => `${parameter.name}=${encodeURIComponent(value)}`),
    );
  const sorts = optional.some(({ name }) => name === 'sort')
    ? await sortsOf(pair, base + add('sort=no_such_key'))
    : [];
  return ['', ...values, ...sorts].map(add);
}

function valuesOf({ name, schema }: Parameter, canary: string): string[] {
  if (name === 'q') return [canary, canary.slice(0, 3), 'c', '%', '_', ' '];
  if (name === 'page_size') return ['200'];
  if (name === 'limit' || name === 'max_runs' || name === 'max_points')
    return [String(Math.min(1000, (schema as { maximum?: number }).maximum ?? 1000))];
  if (schema.enum) return schema.enum.map(String);
  if (schema.type === 'boolean') return ['true', 'false'];
  return schema.type === 'string' ? [canary] : [];
}

/** Every key the list can be sorted by, both ways; it names them when it is asked for another. */
async function sortsOf(pair: TenantPair, wrong: string): Promise<string[]> {
  const { text } = await ask(pair, wrong);
  const allowed = (JSON.parse(text || '{}') as { detail?: { allowed?: string[] } }).detail?.allowed ?? [];
  return allowed.flatMap((key) => [`sort=${key}&order=asc`, `sort=${key}&order=desc`]);
}
