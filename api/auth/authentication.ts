import type { Request } from 'express';
import type { Authenticator } from './authenticator.platform.js';

/** A fresh controller for each request: tsoa keeps status and headers on the instance. */
export type ControllerFactory = () => object;

/** What the generated routes find on the application (`app.locals`). */
export interface AppLocals {
  readonly authenticator: Authenticator;
  readonly controllers: ReadonlyMap<unknown, ControllerFactory>;
}

/** Called by the generated routes before a handler; `name` and `scopes` come from the controller's `@Security`. */
export function expressAuthentication(req: Request, name: string, scopes: string[] = []): Promise<unknown> {
  return (req.app.locals as AppLocals).authenticator.authenticate(req, name, scopes);
}
