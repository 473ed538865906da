import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { tenantUrl } from '../../../api/client';
import { useEvents } from '../../../api/use-events';
import type { Tenant } from '../../../app/session';
import { deploymentKey } from '../queries';

const EVENTS = ['deployment', 'step'];

/** Follows a deployment while its page is open: it may be tried again or rolled back after its end. */
export function useLiveDeployment({ code }: Tenant, id: string): void {
  const client = useQueryClient();
  const onHint = useCallback(
    () =>
      // A look that is under way is not begun again: events come faster than answers.
      void client.invalidateQueries({ queryKey: deploymentKey({ code }, id) }, { cancelRefetch: false }),
    [client, code, id],
  );
  useEvents(tenantUrl(code, `/api/v1/stream/deployments/${encodeURIComponent(id)}`), EVENTS, onHint);
}
