import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import type { VersionDetail } from '../queries';
import { StageChip } from '../../shared/stage-chip';

const words = text.models.versionPage;
const MOVES = ['Staging', 'Archived', 'None'] as const;
type Stage = (typeof MOVES)[number];

/** Where a version can go from its stage without a promotion. */
export function StageMoves({ version }: { version: VersionDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [asked, ask] = useState<Stage | null>(null);
  const { name, version: number } = version;
  const moveTo = async (stage: Stage) => {
    const answer = await body(
      tenant.api.POST('/api/v1/models/{name}/{version}/stage', {
        params: { path: { name, version: number } },
        body: { stage },
      }),
    );
    await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
    notifications.show({ message: words.moved(answer.stage) });
  };
  const move = useMutation({ mutationFn: moveTo });
  const isHeld = version.stage === 'Production';
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group gap="sm">
          <StageChip stage={version.stage} />
          {MOVES.filter((stage) => stage !== version.stage).map((stage) => (
            <Allowed key={stage} to="STAGING_PROMOTE">
              <Button
                size="compact-sm"
                variant="default"
                loading={move.isPending && move.variables === stage}
                onClick={() => (isHeld ? ask(stage) : move.mutate(stage))}
              >
                {words.moveTo[stage]}
              </Button>
            </Allowed>
          ))}
        </Group>
        {isHeld && (
          <Text size="sm" c="dimmed">
            {words.leavesProduction}
          </Text>
        )}
        {move.isError && <ErrorCard error={move.error} />}
      </Stack>
      {asked !== null && (
        <ConfirmByName
          opened
          onClose={() => ask(null)}
          title={words.leaveTitle(name, number)}
          name={name}
          action={words.moveTo[asked]}
          run={() => moveTo(asked)}
        >
          {words.leaveBody}
        </ConfirmByName>
      )}
    </Paper>
  );
}
