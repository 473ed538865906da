import { Alert, Anchor, Button, Code, CopyButton, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/errors';
import { text } from '../text';

/**
 * The one way a failure is shown: what happened, the id that operators find in the log, and what to do.
 * @param onRetry for what the page reads, and reads again by itself; an action has none
 */
export function ErrorCard({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={titleOf(known)}
      role="alert"
      styles={{ title: { color: 'var(--state-failed)' } }}
    >
      <Stack gap="sm">
        <Text size="md">{error instanceof Error ? error.message : String(error)}</Text>
        {known !== null && known.findings.length > 0 && (
          <List size="sm">
            {known.findings.map((finding) => (
              <List.Item key={`${finding.field} ${finding.message}`}>
                {finding.field !== '' && <Code>{finding.field}</Code>} {finding.message}
              </List.Item>
            ))}
          </List>
        )}
        <Text size="sm">{adviceOf(known, onRetry !== undefined)}</Text>
        <Group gap="sm">
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              {text.errors.retry}
            </Button>
          )}
          {known?.errorId && <ErrorId id={known.errorId} />}
          <Anchor size="sm" href="/docs" target="_blank" rel="noreferrer">
            {text.errors.docs}
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}

function ErrorId({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={copy}
          h="auto"
          mih={26}
          maw="100%"
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
        >
          {copied ? text.shared.copied : `${text.errors.id} ${id}`}
        </Button>
      )}
    </CopyButton>
  );
}

const titleOf = (error: ApiError | null): string =>
  (error && text.errors.byStatus[error.status]) ?? text.errors.unexpected;

/** What helps against it. */
function adviceOf(error: ApiError | null, isRead: boolean): string {
  const { advice, adviceByStatus, adviceOfActionByStatus } = text.errors;
  if (error === null) return advice;
  return (isRead ? null : adviceOfActionByStatus[error.status]) ?? adviceByStatus[error.status] ?? advice;
}
