import { Box } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconLoader2,
  IconPlayerStop,
} from '@tabler/icons-react';

export type Look = 'succeeded' | 'running' | 'waiting' | 'failed' | 'stopped' | 'degraded';

const ICONS = {
  succeeded: IconCircleCheck,
  running: IconLoader2,
  waiting: IconClock,
  failed: IconCircleX,
  stopped: IconPlayerStop,
  degraded: IconAlertTriangle,
} as const;

/** The same state has the same look on every page. A state that is not listed looks stopped. */
const LOOKS: Readonly<Record<string, Look>> = {
  SUCCEEDED: 'succeeded',
  FINISHED: 'succeeded',
  COMPLETED: 'succeeded',
  DONE: 'succeeded',
  FROZEN: 'succeeded',
  PASSED: 'succeeded',
  READY: 'succeeded',
  RUNNING: 'running',
  ACTIVE: 'succeeded',
  APPROVED: 'succeeded',
  APPLIED: 'succeeded',
  OK: 'succeeded',
  PRODUCTION: 'succeeded',
  CREATING: 'running',
  CONNECTING: 'running',
  BUILDING: 'running',
  VALIDATING: 'running',
  SYNCING: 'running',
  UPLOADING: 'running',
  CHECKING: 'running',
  PENDING_CHECKS: 'running',
  DELETING: 'running',
  CANCELING: 'running',
  CANCELLING: 'running',
  STARTING: 'running',
  IN_PROGRESS: 'running',
  ROLLING_BACK: 'running',
  STAGING: 'running',
  PREPARING: 'running',
  FINALIZING: 'running',
  QUEUED: 'waiting',
  PENDING: 'waiting',
  PENDING_APPROVAL: 'waiting',
  WAITING_APPROVAL: 'waiting',
  WAITING: 'waiting',
  SCHEDULED: 'waiting',
  PAUSED: 'waiting',
  DRAFT: 'waiting',
  INVITED: 'waiting',
  FAILED: 'failed',
  DOWN: 'failed',
  REJECTED: 'failed',
  INVALID: 'failed',
  ERROR: 'failed',
  LOST: 'failed',
  DEGRADED: 'degraded',
  PARTIAL: 'degraded',
  ROLLED_BACK: 'degraded',
};

export const lookOf = (state: string): Look => LOOKS[state.toUpperCase()] ?? 'stopped';

/** States in which something still happens by itself, so that a page keeps looking. */
export const isMoving = (state: string | null | undefined): boolean => {
  if (!state) return false;
  const look = lookOf(state);
  return look === 'running' || (look === 'waiting' && state.toUpperCase() !== 'DRAFT');
};

/** State as colour, icon and word. @param look set where the word alone does not decide, as RUNNING of an endpoint, which is its goal */
export function StateChip({ state, look = lookOf(state) }: { state: string; look?: Look }) {
  const Icon = ICONS[look];
  const colour = look === 'degraded' ? 'waiting' : look;
  return (
    <Box
      component="span"
      data-state={state}
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 4,
        color: `var(--state-${colour})`,
        whiteSpace: 'nowrap',
        verticalAlign: 'middle',
        fontWeight: 500,
      }}
    >
      <Icon size={15} stroke={2} aria-hidden />
      {wordOf(state)}
    </Box>
  );
}

/** `PENDING_APPROVAL` reads "Pending approval". */
export const wordOf = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
