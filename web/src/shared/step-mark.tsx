import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
} from '@tabler/icons-react';

const LOOKS = {
  pending: { icon: IconCircleDashed, colour: 'var(--state-stopped)' },
  running: { icon: IconLoader2, colour: 'var(--state-running)' },
  done: { icon: IconCircleCheck, colour: 'var(--state-succeeded)' },
  failed: { icon: IconCircleX, colour: 'var(--state-failed)' },
  skipped: { icon: IconCircleMinus, colour: 'var(--state-stopped)' },
} as const;

export type StepStatus = keyof typeof LOOKS;

/** Colour of a step's word. */
export const stepColour = (status: StepStatus): string => LOOKS[status].colour;

/** How one of several steps stands, as a sign before its name; the word stands beside it. */
export function StepMark({ status }: { status: StepStatus }) {
  const { icon: Icon, colour } = LOOKS[status];
  return <Icon size={18} color={colour} style={{ flexShrink: 0, marginTop: 1 }} aria-hidden />;
}
