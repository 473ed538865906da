import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { type ExperimentDetail, linkQuery } from '../queries';

/** The attempts so far: each has a run of its own in the tracker. */
export function Attempts({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const { data: link } = useQuery(linkQuery(tenant, experiment.id));
  const attempts = link?.attempts ?? [];
  if (attempts.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.attempts}
      </Title>
      {attempts.map((run) => (
        <Group key={run.run_id} gap="md">
          <Anchor
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/runs/$runId"
                params={{ tenant: tenant.code, runId: run.run_id }}
                {...props}
              />
            )}
          >
            {words.attempt(String(run.attempt))}
          </Anchor>
          <StateChip state={run.status} />
          <Text size="sm" c="dimmed">
            <Time iso={run.started_at} />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
