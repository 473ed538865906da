import { Anchor, Button, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { useSearchChange } from '../../shared/search-change';
import { count } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { Figures } from './figures';
import { FindingCards } from './finding-cards';
import { type Finding, findingsOf, type Message, reportOf } from './findings';
import { placeOfMessage } from './warning-places';

const words = text.datasets.validation;

/** The report of the last validation; every count leads to what it counts. */
export function ValidationTab({ dataset }: { dataset: DatasetDetail }) {
  const report = reportOf(dataset.validation);
  const findings = findingsOf(dataset.validation);
  return (
    <Stack gap="md">
      <Head dataset={dataset} checkedAt={report.checkedAt} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Messages title={words.errors} messages={report.errors} findings={findings} look="failed" />
        <Messages title={words.warnings} messages={report.warnings} findings={findings} look="waiting" />
      </SimpleGrid>
      <FindingCards dataset={dataset} />
      <Figures dataset={dataset} stats={report.stats} />
    </Stack>
  );
}

function Head({ dataset, checkedAt }: { dataset: DatasetDetail; checkedAt: string | null }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: (isAnnotationsOnly: boolean) => {
      const init = { params: { path: { dataset_id: dataset.id } } };
      return body(
        isAnnotationsOnly
          ? tenant.api.POST('/api/v1/datasets/{dataset_id}/revalidate-annotations', init)
          : tenant.api.POST('/api/v1/datasets/{dataset_id}/revalidate', init),
      );
    },
    onSuccess: async () => {
      notifications.show({ message: words.again });
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets', dataset.id] });
    },
  });
  const { checked, total } = dataset.validation_progress;
  const isRunning = dataset.status === 'VALIDATING';
  const sentence =
    dataset.status === 'FROZEN' ? words.passed : dataset.status === 'FAILED' ? words.failed : words.never;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="md">
            <StateChip state={dataset.validation_status} />
            {checkedAt !== null && (
              <Text size="sm" c="dimmed">
                {words.checked} <Time iso={checkedAt} />
              </Text>
            )}
          </Group>
          <Group gap="sm">
            <Allowed to="DATASET_WRITE">
              <Button
                size="compact-sm"
                variant="default"
                loading={again.isPending}
                onClick={() => again.mutate(true)}
              >
                {words.annotationsAgain}
              </Button>
            </Allowed>
            <Allowed to="DATASET_WRITE">
              <Button
                size="compact-sm"
                variant="default"
                loading={again.isPending}
                onClick={() => again.mutate(false)}
              >
                {words.again}
              </Button>
            </Allowed>
          </Group>
        </Group>
        {isRunning ? (
          <>
            <Text size="sm">{text.datasets.page.validating(count(checked), count(total))}</Text>
            <Progress value={total === 0 ? 0 : (checked / total) * 100} aria-label={words.figures} />
          </>
        ) : (
          <Text size="sm">{sentence}</Text>
        )}
        {again.isError && <ErrorCard error={again.error} />}
      </Stack>
    </Paper>
  );
}

/** Leads to what a message counts, where something can be listed. */
function ShowMessage({ code, findings }: { code: string; findings: readonly Finding[] }) {
  const change = useSearchChange();
  const place = placeOfMessage(code, findings);
  return (
    place && (
      <Anchor size="sm" component="button" onClick={() => change(place)}>
        {words.show}
      </Anchor>
    )
  );
}

function Messages({
  title,
  messages,
  findings,
  look,
}: {
  title: string;
  messages: readonly Message[];
  findings: readonly Finding[];
  look: 'failed' | 'waiting';
}) {
  const change = useSearchChange();
  return (
    <Paper withBorder p="md">
      <Stack gap={6}>
        <Group gap="sm">
          <Title
            order={2}
            size="h5"
            c={
              messages.length === 0
                ? undefined
                : look === 'failed'
                  ? 'var(--state-failed)'
                  : 'var(--state-waiting)'
            }
          >
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {count(messages.length)}
          </Text>
        </Group>
        {messages.length === 0 && <Text size="sm">{words.none}</Text>}
        {messages.map(({ code, message, fileId }) => (
          <Text key={`${code} ${message} ${fileId}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {message}{' '}
            {fileId !== null ? (
              <Anchor
                size="sm"
                component="button"
                onClick={() => change({ tab: undefined, file: fileId, at: undefined }, { opensOver: true })}
              >
                {words.showFile}
              </Anchor>
            ) : (
              <ShowMessage code={code} findings={findings} />
            )}
          </Text>
        ))}
      </Stack>
    </Paper>
  );
}
