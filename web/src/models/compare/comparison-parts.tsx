import { Badge, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytes, metric } from '../../shared/numbers';
import { text } from '../../text';
import type { Comparison } from '../queries';
import { DiffTable } from './diff-table';
import { isBetter, signatureText } from './version-diff';

const words = text.models.compare;

interface PartsProps {
  readonly comparison: Comparison;
  readonly onlyDifferences: boolean;
}

/** What two versions differ in, part by part. */
export function ComparisonParts({ comparison, onlyDifferences }: PartsProps) {
  const sides = {
    from: text.models.version(comparison.from.version),
    to: text.models.version(comparison.to.version),
    onlyDifferences,
  };
  return (
    <Stack gap="lg">
      <Part title={words.metrics}>
        <DiffTable
          label={words.metrics}
          {...sides}
          pairs={comparison.metrics}
          shown={metric}
          note={({ name, from, to }) => <Change name={name} from={from} to={to} />}
        />
      </Part>
      <Part title={words.params}>
        <DiffTable label={words.params} {...sides} pairs={comparison.params} shown={(value) => value} />
      </Part>
      <Part title={words.classes}>
        <Classes classes={comparison.classes} />
      </Part>
      <Part title={words.signature}>
        <Signature signature={comparison.signature} sides={sides} />
      </Part>
      <Part title={words.files}>
        <DiffTable
          label={words.files}
          {...sides}
          pairs={comparison.files.map(({ path, from, to }) => ({
            name: path,
            from: from && `${from.sha256.slice(0, 12)} · ${bytes(from.size_bytes)}`,
            to: to && `${to.sha256.slice(0, 12)} · ${bytes(to.size_bytes)}`,
          }))}
          shown={(value) => value}
        />
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** How a metric changed, in words too: colour alone says nothing to everybody. */
function Change({ name, from, to }: { name: string; from: number | null; to: number | null }) {
  if (from === null || to === null || from === to) return null;
  const isUp = isBetter(name, from, to);
  return (
    <Text span size="sm" c={isUp ? 'var(--state-succeeded)' : 'var(--state-failed)'}>
      {to > from ? '+' : '−'}
      {metric(Math.abs(to - from))} {isUp ? words.better : words.worse}
    </Text>
  );
}

function Classes({ classes }: { classes: Comparison['classes'] }) {
  const { from, to, added, removed } = classes;
  if (from === null && to === null) return <Text c="dimmed">{words.classesUnknown}</Text>;
  if (added.length === 0 && removed.length === 0)
    return <Text c="dimmed">{words.classesSame((to ?? from ?? []).length)}</Text>;
  return (
    <Stack gap="xs">
      {(
        [
          [words.added, added],
          [words.removed, removed],
        ] as const
      ).map(
        ([label, names]) =>
          names.length > 0 && (
            <Group key={label} gap={6}>
              <Text size="sm" w={70}>
                {label}
              </Text>
              {names.map((name) => (
                <Badge key={name} variant="default" tt="none" radius="sm" fw={500}>
                  {name}
                </Badge>
              ))}
            </Group>
          ),
      )}
    </Stack>
  );
}

interface SignatureProps {
  readonly signature: Comparison['signature'];
  readonly sides: { readonly from: string; readonly to: string };
}

function Signature({ signature, sides }: SignatureProps) {
  if (signature.is_same) return <Text c="dimmed">{words.signatureSame}</Text>;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      {(['from', 'to'] as const).map((side) => (
        <Stack key={side} gap={4}>
          <Text size="sm" c="dimmed">
            {sides[side]}
          </Text>
          <Code block style={{ whiteSpace: 'pre-wrap' }}>
            {signatureText(signature[side]?.inputs)}
            {' → '}
            {signatureText(signature[side]?.outputs)}
          </Code>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
