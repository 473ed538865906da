export const DOMAIN_RULE = {
  name: 'model-domains-are-layered',
  comment: 'domains of models do not need each other: what two of them share is a domain of its own',
};

/** Folders of models that are no domain: they know every table. */
const BELOW_DOMAINS = new Set(['orm', 'migrations']);
const domainOf = (path) => /^models\/([^/]+)\//.exec(path)?.[1];

/**
 * @param modules of dependency-cruiser
 * @returns a line for each domain's part in a cycle: its import, then those that lead back
 */
export function domainViolations(modules) {
  const needs = neededDomains(modules);
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
      return back === null ? [] : [`${DOMAIN_RULE.name}: ${[example, ...back].join('; ')}`];
    }),
  );
}

/** By domain: the domains it imports, each with one import as an example. */
function neededDomains(modules) {
  const needs = new Map();
  for (const { source, dependencies } of modules) {
    const from = domainOf(source);
    if (from === undefined || BELOW_DOMAINS.has(from)) continue;
    for (const { resolved } of dependencies) {
      const to = domainOf(resolved);
      if (to === undefined || to === from || BELOW_DOMAINS.has(to)) continue;
      const known = needs.get(from) ?? new Map();
      needs.set(from, known);
      if (!known.has(to)) known.set(to, `${source} -> ${resolved}`);
    }
  }
  return needs;
}
