import type { AuthChange } from '../../models/access/auth-change.js';
import type { Watcher } from './sse-hub.js';

/** True when a change of accounts may take a stream away; a change that names nothing affects everybody, one of a token or a device nobody: they open no streams. */
export function isAffectedBy(watcher: Watcher, change: AuthChange): boolean {
  if (change.userId === undefined && change.sessionId === undefined && change.tenantId === undefined)
    return change.tokenId === undefined && change.deviceId === undefined;
  return (
    watcher.userId === change.userId ||
    watcher.sessionId === change.sessionId ||
    (watcher.tenantId !== null && watcher.tenantId === change.tenantId)
  );
}
