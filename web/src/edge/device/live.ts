import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { tenantUrl } from '../../api/client';
import { useEvents } from '../../api/use-events';
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
  const client = useQueryClient();
  const onHint = useCallback(
    (_: unknown, event: string | null) => {
      const key = deviceKey({ code }, id);
      const parts = event === null ? [[]] : (PARTS[event] ?? []).map((part) => [part]);
      // A look that is under way is not begun again: events come faster than answers.
      for (const part of parts)
        void client.invalidateQueries({ queryKey: [...key, ...part] }, { cancelRefetch: false });
    },
    [client, code, id],
  );
  useEvents(tenantUrl(code, `/api/v1/stream/edge/${encodeURIComponent(id)}`), EVENTS, onHint);
}
