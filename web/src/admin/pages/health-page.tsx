import { Alert, Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Page } from '../../shared/page';
import { type Look, StateChip, wordOf } from '../../shared/state-chip';
import { installationQuery } from '../../shared/temporal';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { healthQuery } from '../queries';

type Health = Schemas['SystemHealthOut'];
const words = text.admin.health;

const LOOKS: Readonly<Record<string, Look>> = {
  ok: 'succeeded',
  degraded: 'degraded',
  warning: 'degraded',
  down: 'failed',
};
const Chip = ({ status }: { status: string }) => <StateChip state={status} look={LOOKS[status]} />;

export function HealthPage() {
  const { code } = useTenant();
  const isMine = useNotAdministrator() === null;
  const query = useQuery({ ...healthQuery, enabled: isMine });
  const health = query.data;
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      state={health && <Chip status={health.status} />}
      description={health && words.summary[health.status]}
      curl={{ path: '/api/v1/system/health' }}
    >
      <ForAdministrators>
        {() => (
          <Stack gap="lg">
            <Reading query={query} />
            {health && <Body health={health} updatedAt={query.dataUpdatedAt} />}
          </Stack>
        )}
      </ForAdministrators>
    </Page>
  );
}

function Body({ health, updatedAt }: { health: Health; updatedAt: number }) {
  return (
    <>
      <Stack gap="sm">
        <Group gap="md" justify="space-between">
          <Title order={2} size="h5">
            {words.components}
          </Title>
          <UpdatedAgo at={updatedAt} />
        </Group>
        <Components components={health.components} />
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {words.configuration}
        </Title>
        <Findings findings={health.configuration} />
      </Stack>
      <Text size="sm" c="dimmed">
        {words.version} {health.version}. <Workflows />
      </Text>
    </>
  );
}

/** Temporal's own pages, or the setting that is to name them. */
function Workflows() {
  const { data: installation } = useQuery(installationQuery);
  if (installation === undefined) return null;
  if (installation.workflows === null) return words.noTemporal;
  return (
    <Anchor href={installation.workflows} size="sm" underline="always" target="_blank" rel="noreferrer">
      {words.temporal}
    </Anchor>
  );
}

function Components({ components }: { components: Health['components'] }) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table aria-label={words.components} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.component}</Table.Th>
            <Table.Th>{words.state}</Table.Th>
            <Table.Th>{words.message}</Table.Th>
            <Table.Th ta="right">{words.latency}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {components.map((component) => (
            <Table.Tr key={component.name}>
              <Table.Th scope="row" fw={500}>
                {wordOf(component.name)}
              </Table.Th>
              <Table.Td>
                <Chip status={component.status} />
              </Table.Td>
              <Table.Td>
                <Said message={component.message} hint={component.hint} />
              </Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {words.ms(component.latency_ms)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Findings({ findings }: { findings: Health['configuration'] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table aria-label={words.configuration} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.finding}</Table.Th>
            <Table.Th>{words.state}</Table.Th>
            <Table.Th>{words.message}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {findings.map((finding) => (
            <Table.Tr key={finding.name}>
              <Table.Th scope="row" fw={500}>
                {wordOf(finding.name)}
              </Table.Th>
              <Table.Td>
                <Chip status={finding.status} />
              </Table.Td>
              <Table.Td maw={700}>
                <Said message={finding.message} hint={finding.hint} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** What a check found, and beside it what to do where it is not well. */
function Said({ message, hint }: { message: string; hint: string | null }) {
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      {hint !== null && (
        <Alert
          variant="light"
          color="yellow"
          py="sm"
          title={words.todo}
          styles={{ title: { color: 'var(--state-waiting)' } }}
        >
          <Text size="sm">{hint}</Text>
        </Alert>
      )}
    </Stack>
  );
}
