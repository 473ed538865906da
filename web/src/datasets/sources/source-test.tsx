import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { count } from '../../shared/numbers';
import { text } from '../../text';

const words = text.sources;

/** Asks a source for one entry of its list. */
export const useSourceTest = (id: string) => {
  const tenant = useTenant();
  return useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/external-sources/{source_id}:test', { params: { path: { source_id: id } } }),
      ),
  });
};

type Test = ReturnType<typeof useSourceTest>;

export function TestButton({ test, size }: { test: Test; size?: string }) {
  return (
    <Allowed to="DATASET_WRITE">
      <Button variant="default" size={size} loading={test.isPending} onClick={() => test.mutate()}>
        {words.test}
      </Button>
    </Allowed>
  );
}

/** What the test found, and what to do about it. */
export function TestResult({ test }: { test: Test }) {
  if (test.error !== null) return <ErrorCard error={test.error} onRetry={() => test.mutate()} />;
  const { data } = test;
  if (!data) return null;
  const isOk = data.status === 'ok';
  return (
    <Alert
      color={isOk ? 'green' : 'red'}
      variant="light"
      role="status"
      title={isOk ? words.testOk : words.testFailed}
      styles={{ title: { color: isOk ? 'var(--state-succeeded)' : 'var(--state-failed)' } }}
    >
      <Stack gap={4}>
        <Text size="md">{data.message}</Text>
        {data.next_step !== null && <Text size="md">{data.next_step}</Text>}
        <Text size="sm" c="dimmed">
          {words.testFacts(
            count(Math.round(data.latency_ms)),
            data.total === null ? null : count(data.total),
          )}
        </Text>
      </Stack>
    </Alert>
  );
}
