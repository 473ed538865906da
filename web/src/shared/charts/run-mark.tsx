import { Box, useComputedColorScheme } from '@mantine/core';
import { runLook } from './line-looks';

/** A dot in the colour that the curves of a run have. */
export function RunMark({ runId }: { runId: string }) {
  const look = runLook(runId);
  const colour = look[useComputedColorScheme('light')];
  return (
    <Box
      component="span"
      aria-hidden
      data-run-colour={colour}
      w={10}
      h={10}
      style={{ display: 'inline-block', flexShrink: 0, borderRadius: '50%', background: colour }}
    />
  );
}
