import { globSync, readFileSync } from 'node:fs';

/** Paths of the routes that others stand in. */
const PARENTS: Readonly<Record<string, string>> = {
  rootRoute: '',
  signedInRoute: '',
  tenantRoute: '/t/$tenant',
};

/** Every route of the console with its whole path, read from the sources: the router itself runs in a browser only. */
export function routesOfConsole(): string[] {
  return globSync('web/src/*/routes.tsx').flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const common = /const getParentRoute = \(\) => (\w+)/.exec(source)?.[1];
    return source
      .split('createRoute({')
      .slice(1)
      .map((body) => {
        const parent = /getParentRoute: \(\) => (\w+)/.exec(body)?.[1] ?? common ?? '';
        const path = /path: '([^']*)'/.exec(body)?.[1];
        if (path === undefined || !(parent in PARENTS))
          throw new Error(`${file} has a route that is not understood:\n${body.slice(0, 200)}`);
        return `${PARENTS[parent]}${path}`;
      });
  });
}
