import { useCallback } from 'react';
import { tenantUrl } from '../../api/client';
import { useEvents } from '../../api/use-events';
import { useRenewal } from '../../api/use-renewal';
import type { Tenant } from '../../app/session';
import { deviceKey } from '../queries';

/** Events of a device with what is read again for each. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  heartbeat: ['detail', 'heartbeats'],
  telemetry: ['telemetry'],
  inference: ['inference'],
  command: ['commands'],
  upload: ['uploads'],
  deleted: ['detail'],
};
const EVENTS = Object.keys(PARTS);

/** Follows a device while its page is open: what changed is read again. */
export function useLiveDevice({ code }: Tenant, id: string): void {
  const renew = useRenewal();
  const onHint = useCallback(
    (_: unknown, event: string | null) => {
      const key = deviceKey({ code }, id);
      if (event === null) renew(key);
      else for (const part of PARTS[event] ?? []) renew([...key, part]);
    },
    [renew, code, id],
  );
  useEvents(tenantUrl(code, `/api/v1/stream/edge/${encodeURIComponent(id)}`), EVENTS, onHint);
}
