/** Folders whose folders are domains; those `below` are none: every domain may need them, and they know every table. */
const ROOMS = [
  {
    room: 'models',
    below: new Set(['orm', 'migrations']),
    name: 'model-domains-are-layered',
    comment: 'domains of models do not need each other: what two of them share is a domain of its own',
  },
  {
    room: 'api',
    below: new Set(['generated']),
    name: 'api-domains-are-layered',
    comment: 'folders of the API do not need each other, but where they are wired together',
  },
];

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

/** By domain: the domains it imports, each with one import as an example. */
function neededDomains(modules, { room, below }) {
  const inRoom = new RegExp(`^${room}/([^/]+)/`);
  const domainOf = (path) => {
    const domain = inRoom.exec(path)?.[1];
    return below.has(domain) ? undefined : domain;
  };
  const needs = new Map();
  for (const { source, dependencies } of modules) {
    const from = domainOf(source);
    if (from === undefined || source.endsWith('.wiring.ts')) continue;
    for (const { resolved } of dependencies) {
      const to = domainOf(resolved);
      if (to === undefined || to === from) continue;
      const known = needs.get(from) ?? new Map();
      needs.set(from, known);
      if (!known.has(to)) known.set(to, `${source} -> ${resolved}`);
    }
  }
  return needs;
}
