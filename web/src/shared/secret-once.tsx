import { Button, Code, CopyButton, Group, Stack, Tabs, Text } from '@mantine/core';
import { text } from '../text';

/** Lines that use the secret, to be copied. */
export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly lines: string;
  readonly note?: string;
}

interface SecretOnceProps {
  readonly sentence: string;
  readonly secret: string;
  readonly copyLabel: string;
  readonly snippets: readonly Snippet[];
  /** Name of the group of snippets. */
  readonly use: string;
  readonly copySnippet: string;
  readonly done: string;
  readonly onClose: () => void;
}

/** A secret in the one moment in which it can be seen, with lines that use it. */
export function SecretOnce(props: SecretOnceProps) {
  const { sentence, secret, copyLabel, snippets, use, copySnippet, done, onClose } = props;
  return (
    <Stack gap="md">
      <Text>{sentence}</Text>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} data-token>
          {secret}
        </Code>
        <Copy value={secret} label={copyLabel} isPrimary />
      </Group>
      <Tabs defaultValue={snippets[0]?.id}>
        <Tabs.List aria-label={use}>
          {snippets.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ id, lines, note }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <Stack gap="sm" align="flex-start">
              <Code block w="100%" style={{ overflowX: 'auto' }} tabIndex={0}>
                {lines}
              </Code>
              {note !== undefined && (
                <Text size="sm" c="dimmed">
                  {note}
                </Text>
              )}
              <Copy value={lines} label={copySnippet} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {done}
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
