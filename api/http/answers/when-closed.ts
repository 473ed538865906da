import type { ServerResponse } from 'node:http';

/** Runs `action` once an answer has been sent or its reader has left; at once where that was before, for "close" comes only once. */
export function whenClosed(res: ServerResponse | undefined, action: () => void): void {
  if (res?.closed || res?.destroyed) action();
  else res?.once('close', action);
}
