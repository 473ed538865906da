import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import type { VersionDetail } from '../queries';
import { StageChip } from '../../shared/stage-chip';

const words = text.models.versionPage;
const MOVES = ['Staging', 'Archived', 'None'] as const;

/** Where a version can go from its stage without a promotion. */
export function StageMoves({ version }: { version: VersionDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const move = useMutation({
    mutationFn: (stage: (typeof MOVES)[number]) =>
      body(
        tenant.api.POST('/api/v1/models/{name}/{version}/stage', {
          params: { path: { name: version.name, version: version.version } },
          body: { stage },
        }),
      ),
    onSuccess: async (answer) => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
      notifications.show({ message: words.moved(answer.stage) });
    },
  });
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
                onClick={() => move.mutate(stage)}
              >
                {words.moveTo[stage]}
              </Button>
            </Allowed>
          ))}
        </Group>
        {version.stage === 'Production' && (
          <Text size="sm" c="dimmed">
            {words.leavesProduction}
          </Text>
        )}
        {move.isError && <ErrorCard error={move.error} />}
      </Stack>
    </Paper>
  );
}
