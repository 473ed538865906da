import { useCallback } from 'react';
import { tenantUrl } from '../../../api/client';
import { useEvents } from '../../../api/use-events';
import { useRenewal } from '../../../api/use-renewal';
import type { Tenant } from '../../../app/session';
import { deploymentKey } from '../queries';

const EVENTS = ['deployment', 'step'];

/** Follows a deployment while its page is open: it may be tried again or rolled back after its end. */
export function useLiveDeployment({ code }: Tenant, id: string): void {
  const renew = useRenewal();
  const onHint = useCallback(() => renew(deploymentKey({ code }, id)), [renew, code, id]);
  useEvents(tenantUrl(code, `/api/v1/stream/deployments/${encodeURIComponent(id)}`), EVENTS, onHint);
}
