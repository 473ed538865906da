import { StateChip } from '../shared/state-chip';
import type { Endpoint } from './queries';

/** State of an endpoint. RUNNING is what it is for, not something that will end. */
export function EndpointState({ status }: Pick<Endpoint, 'status'>) {
  return <StateChip state={status} look={status === 'RUNNING' ? 'succeeded' : undefined} />;
}
