import { Box, Code, Group, Stack, Text } from '@mantine/core';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { text } from '../../text';

const words = text.serving.try;

interface RawProps {
  readonly url: string;
  readonly type: string;
  readonly file: string;
  readonly raw: unknown;
}

/** The answer as it came, and the same question as a line for a shell. */
export function RawAnswer({ url, type, file, raw }: RawProps) {
  const { code } = useTenant();
  const line = [
    `curl -s '${url}/invocations'`,
    `-H "Authorization: Bearer $TOKEN" -H 'X-Tenant: ${code}'`,
    `-H 'Content-Type: ${type}' --data-binary ${quoted(`@${file}`)}`,
  ].join(' ');
  return (
    <Stack gap="sm">
      <Box>
        <Text size="sm" fw={600}>
          {words.curl}
        </Text>
        <Group>
          <CopyText value={line} />
        </Group>
      </Box>
      <details>
        <summary>{words.raw}</summary>
        <Code block mah={360} style={{ overflow: 'auto' }} tabIndex={0}>
          {JSON.stringify(raw, null, 2)}
        </Code>
      </details>
    </Stack>
  );
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
