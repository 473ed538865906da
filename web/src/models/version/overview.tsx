import { Badge, Code, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTenant } from '../../app/session';
import { metric } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { signatureText } from '../compare/version-diff';
import { sortedMetrics } from '../metrics';
import { compareQuery, type VersionDetail } from '../queries';
import { StageMoves } from './stage-moves';

const words = text.models.versionPage;

/** Metrics, parameters, signature and classes of a version. */
export function Overview({ version }: { version: VersionDetail }) {
  const tenant = useTenant();
  const inside = useQuery(compareQuery(tenant, version.name, version.version, version.version));
  const metrics = sortedMetrics(version.metrics);
  return (
    <Stack gap="lg">
      <StageMoves version={version} />
      <Part title={words.metrics}>
        {metrics.length === 0 ? (
          <Text c="dimmed">{words.noMetrics}</Text>
        ) : (
          <SimpleGrid cols={{ base: 2, xs: 3, lg: 4 }} spacing="sm">
            {metrics.map(([name, value]) => (
              <div key={name}>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Text>
                <Text fw={600}>{metric(value)}</Text>
              </div>
            ))}
          </SimpleGrid>
        )}
      </Part>
      <Reading query={inside} lines={4} />
      {inside.data && (
        <>
          <Part title={words.classes}>
            {inside.data.classes.from === null ? (
              <Text c="dimmed">{words.noClasses}</Text>
            ) : (
              <Group gap={6}>
                {inside.data.classes.from.map((label) => (
                  <Badge key={label} variant="default" tt="none" radius="sm" fw={500}>
                    {label}
                  </Badge>
                ))}
              </Group>
            )}
          </Part>
          <Part title={words.signature}>
            <Signature signature={inside.data.signature.from} />
          </Part>
          {inside.data.params.length > 0 && (
            <Part title={words.params}>
              <Params params={inside.data.params} />
            </Part>
          )}
        </>
      )}
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

function Signature({ signature }: { signature: { inputs?: unknown; outputs?: unknown } | null }) {
  if (signature === null) return <Text c="dimmed">{words.noSignature}</Text>;
  return (
    <Stack gap={4}>
      {(['inputs', 'outputs'] as const).map((side) => (
        <Group key={side} gap="sm" wrap="wrap">
          <Text size="sm" c="dimmed" w={50}>
            {words[side]}
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{signatureText(signature[side])}</Code>
        </Group>
      ))}
    </Stack>
  );
}

function Params({ params }: { params: ReadonlyArray<{ name: string; from: string | null }> }) {
  return (
    <Table.ScrollContainer minWidth={260} maw={640}>
      <Table aria-label={words.params} verticalSpacing={4}>
        <Table.Tbody>
          {params.map(({ name, from }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} c="dimmed">
                {name}
              </Table.Th>
              <Table.Td className="mono">{from ?? '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
