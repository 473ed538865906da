import { Button, Code, CopyButton, Group, Stack, Tabs, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { useMe } from '../../app/session';
import { text } from '../../text';
import { tokenSnippets } from './token-snippets';

/** A token in the one moment in which it can be seen, with lines that use it. */
export function NewToken({ token, onClose }: { token: Schemas['AccessTokenCreated']; onClose: () => void }) {
  const words = text.people.tokens;
  const me = useMe();
  const snippets = tokenSnippets(token.kind, token.token, window.location.origin, me.email);
  return (
    <Stack gap="md">
      <Text>{words.shownOnce}</Text>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} data-token>
          {token.token}
        </Code>
        <Copy value={token.token} label={words.copyToken} isPrimary />
      </Group>
      <Tabs defaultValue={snippets[0]?.id}>
        <Tabs.List aria-label={words.use}>
          {snippets.map(({ id }) => (
            <Tabs.Tab key={id} value={id}>
              {words.snippets[id]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ id, lines }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Stack gap="sm" align="flex-start">
              <Code block w="100%" style={{ overflowX: 'auto' }} tabIndex={0}>
                {lines}
              </Code>
              {id === 'docker' && (
                <Text size="sm" c="dimmed">
                  {words.registryNote}
                </Text>
              )}
              <Copy value={lines} label={words.copySnippet} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.done}
        </Button>
      </Group>
    </Stack>
  );
}

function Copy({ value, label, isPrimary = false }: { value: string; label: string; isPrimary?: boolean }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button variant={isPrimary ? 'filled' : 'default'} onClick={copy} style={{ flexShrink: 0 }}>
          {copied ? text.shared.copied : label}
        </Button>
      )}
    </CopyButton>
  );
}
