import { Anchor, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../text';
import { type CurlCall, curlLine } from './call-lines';

interface EmptyStateProps {
  readonly sentence: string;
  readonly action?: ReactNode;
  /** The call that does the same as the button. */
  readonly call?: CurlCall;
  /** Code of another kind. */
  readonly code?: string;
}

/** An empty page teaches: one sentence, one button, one line of code. */
export function EmptyState({ sentence, action, call, code }: EmptyStateProps) {
  const { tenant = null } = useParams({ strict: false });
  const line = call ? curlLine(call, tenant, window.location.origin) : code;
  return (
    <Stack align="flex-start" gap="sm" p="lg" style={{ border: '1px dashed var(--line)', borderRadius: 6 }}>
      <Text>{sentence}</Text>
      {action}
      {line !== undefined && (
        <>
          <Code block maw="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {line}
          </Code>
          <Group gap="md">
            <CopyButton value={line}>
              {({ copied, copy }) => (
                <Button size="compact-sm" variant="default" onClick={copy}>
                  {copied ? text.shared.copied : text.shared.copy}
                </Button>
              )}
            </CopyButton>
            {call && (
              <Text size="sm" c="dimmed">
                {text.shared.whatToken}{' '}
                <Anchor
                  inherit
                  underline="always"
                  renderRoot={(props: object) => <Link to="/account" {...props} />}
                >
                  {text.shared.account}
                </Anchor>
              </Text>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}
