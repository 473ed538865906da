import { Box } from '@mantine/core';
import { IconArchive, IconCircleCheck, IconCircleDashed, IconFlask } from '@tabler/icons-react';
import { text } from '../text';
import type { Schemas } from '../api/client';

export type Stage = Schemas['ModelVersionOut']['stage'];

const LOOKS = {
  None: { icon: IconCircleDashed, colour: 'stopped' },
  Staging: { icon: IconFlask, colour: 'running' },
  Production: { icon: IconCircleCheck, colour: 'succeeded' },
  Archived: { icon: IconArchive, colour: 'stopped' },
} as const;

/** Stage of a version as colour, icon and word. */
export function StageChip({ stage, label }: { stage: Stage; label?: string }) {
  const { icon: Icon, colour } = LOOKS[stage];
  return (
    <Box
      component="span"
      data-stage={stage}
      fw={500}
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 4,
        color: `var(--state-${colour})`,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon size={15} stroke={2} aria-hidden />
      {label ?? text.stages[stage]}
    </Box>
  );
}
