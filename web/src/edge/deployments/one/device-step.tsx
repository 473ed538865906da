import { type Look, StateChip } from '../../../shared/state-chip';
import { text } from '../../../text';
import type { DeviceStep } from '../queries';

const LOOKS: Readonly<Record<DeviceStep, Look>> = {
  queued: 'waiting',
  downloading: 'running',
  installing: 'running',
  verifying: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'stopped',
};

export const DEVICE_STEPS = Object.keys(LOOKS) as readonly DeviceStep[];

/** Where one device of a deployment is. */
export const DeviceStepChip = ({ step }: { step: DeviceStep }) => (
  <StateChip state={text.deployments.page.stepNames[step]} look={LOOKS[step]} />
);
