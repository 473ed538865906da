import { Facts } from '../../shared/facts';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { PolicyChip } from '../fleet/policy-chip';
import type { Device } from '../queries';
import { EditLocation } from './edit-location';

const words = text.edge.device.facts;

export function DeviceFacts({ device }: { device: Device }) {
  const { token_expires_at: expires, registered_at: first } = device;
  return (
    <Facts
      items={[
        [words.location, <EditLocation key="location" device={device} />],
        [words.os, device.os ?? '–'],
        [words.agent, device.sdk_version ?? '–'],
        [words.heartbeat, <Time key="heartbeat" iso={device.snapshot.last_heartbeat} />],
        [words.policy, <PolicyChip key="policy" policy={device.policy} />],
        [words.expires, expires === null ? words.revoked : <Time key="expires" iso={expires} />],
        [words.first, first === null ? words.notYet : <Time key="first" iso={first} />],
        [words.created, <Time key="created" iso={device.created_at} />],
      ]}
    />
  );
}
