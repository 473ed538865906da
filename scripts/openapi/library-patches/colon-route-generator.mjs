import { DefaultRouteGenerator } from '@tsoa/cli/dist/routeGeneration/defaultRouteGenerator.js';

// Stands for a literal colon while tsoa turns `{x}` into `:x`; a private-use character that no path contains.
const SENTINEL = '\uE000';

/** Routes with literal colons (`{id}:complete`): tsoa would read them as parameters. See docs/adr/colon-routes.md. */
export class ColonRouteGenerator extends DefaultRouteGenerator {
  pathTransformer(path) {
    return super.pathTransformer(path.replace(/^\/:/, ':').replaceAll(':', SENTINEL));
  }

  buildContext() {
    const context = super.buildContext();
    for (const controller of context.controllers)
      for (const action of controller.actions)
        action.fullPath = action.fullPath.replaceAll(SENTINEL, '\\\\:');
    // A stable order, so that regenerating shows only real differences.
    context.controllers.sort((a, b) => (a.name < b.name ? -1 : 1));
    return context;
  }
}
