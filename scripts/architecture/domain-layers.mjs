import { readFileSync } from 'node:fs';

/** Folders whose folders are domains; those `below` are none: every domain may need them, and they know every table. */
const ROOMS = [
  {
    room: 'models',
    below: new Set(['orm', 'migrations']),
    name: 'model-domains-are-layered',
    comment:
      'domains of models need each other in one direction, by imports or by writes of SQL: what two of them share is a domain of its own',
  },
  {
    room: 'api',
    below: new Set(['generated']),
    name: 'api-domains-are-layered',
    comment: 'folders of the API do not need each other, but where they are wired together',
  },
];

const WRITE = /\b(?:insert into|update(?: only)?|delete from|merge into)\s+([a-z_]+)/g;

/** Names and meanings, in the form of the rules about imports. */
export const DOMAIN_RULES = ROOMS.map(({ name, comment }) => ({ name, comment }));

/**
 * @param modules of dependency-cruiser
 * @returns a line for each domain's part in a cycle: its import, then those that lead back
 */
export const domainViolations = (modules) =>
  ROOMS.flatMap((room) => cyclesOf(neededDomains(modules, room)).map((cycle) => `${room.name}: ${cycle}`));

function cyclesOf(needs) {
  /** Imports that lead from one domain to another; null where there is no way. */
  const way = (from, to, seen) => {
    for (const [next, example] of needs.get(from) ?? []) {
      if (next === to) return [example];
      if (seen.has(next)) continue;
      seen.add(next);
      const rest = way(next, to, seen);
      if (rest !== null) return [example, ...rest];
    }
    return null;
  };
  return [...needs].flatMap(([from, known]) =>
    [...known].flatMap(([to, example]) => {
      const back = way(to, from, new Set());
      return back === null ? [] : [[example, ...back].join('; ')];
    }),
  );
}

/** By domain: the domains that it imports, or whose tables it writes by SQL, each with one example. */
function neededDomains(modules, { room, below }) {
  const inRoom = new RegExp(`^${room}/([^/]+)/`);
  const domainOf = (path) => {
    const domain = inRoom.exec(path)?.[1];
    return below.has(domain) ? undefined : domain;
  };
  const owners = tableOwners(modules, domainOf);
  const needs = new Map();
  for (const { source, dependencies } of modules) {
    const from = domainOf(source);
    if (from === undefined || source.endsWith('.wiring.ts')) continue;
    const need = (to, example) => {
      if (to === undefined || to === from) return;
      const known = needs.get(from) ?? new Map();
      needs.set(from, known);
      if (!known.has(to)) known.set(to, `${source} -> ${example}`);
    };
    for (const { resolved } of dependencies) need(domainOf(resolved), resolved);
    for (const table of writtenTables(source)) need(owners.get(table), `table ${table}`);
  }
  return needs;
}

/** By table: the domain whose entity it has. */
const tableOwners = (modules, domainOf) =>
  new Map(
    modules
      .filter(({ source }) => source.endsWith('.entity.ts'))
      .flatMap(({ source }) =>
        [...readFileSync(source, 'utf8').matchAll(/\btableName: '(\w+)'/g)].map(([, table]) => [
          table,
          domainOf(source),
        ]),
      ),
  );

const writtenTables = (source) =>
  source.endsWith('.sql.ts')
    ? [...readFileSync(source, 'utf8').matchAll(WRITE)].map(([, table]) => table)
    : [];
