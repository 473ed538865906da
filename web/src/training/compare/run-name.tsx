import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import type { LineLook } from '../../shared/charts/line-looks';
import { Swatch } from '../../shared/charts/swatch';
import type { Run } from '../tracker/queries';

interface RunNameProps {
  readonly run: Run;
  readonly label: string | undefined;
  readonly look: LineLook | undefined;
}

/** Name of a run behind a piece of its line. */
export function RunName({ run, label, look }: RunNameProps) {
  const { code } = useTenant();
  return (
    <Group gap={6} wrap="nowrap">
      {look && <Swatch look={look} />}
      <Anchor
        inherit
        title={`${run.project}/${run.experiment_name}`}
        style={{ whiteSpace: 'nowrap' }}
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/runs/$runId" params={{ tenant: code, runId: run.run_id }} {...props} />
        )}
      >
        {label ?? run.name}
      </Anchor>
    </Group>
  );
}
