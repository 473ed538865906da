import { Alert, Grid, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { metric } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import type { Device, DeviceStatus } from '../queries';
import { Deployed } from './deployed';
import { DeviceFacts } from './device-facts';
import { HeartbeatCharts } from './heartbeat-charts';
import { MEASURES } from './heartbeat-curves';

const words = text.edge.device;

const NOTES: Partial<Record<DeviceStatus, string>> = { PENDING: words.pending, BLOCKED: words.blocked };

/** How a device is now, how it was, and what runs on it. */
export function Overview({ device }: { device: Device }) {
  const note = NOTES[device.status];
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 8.5 }}>
        <Stack gap="lg">
          {note !== undefined && (
            <Alert color="yellow" variant="light">
              {note}
            </Alert>
          )}
          <Now device={device} />
          <Running device={device} />
          <Deployed device={device} />
          <HeartbeatCharts id={device.id} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 3.5 }}>
        <DeviceFacts device={device} />
      </Grid.Col>
    </Grid>
  );
}

function Now({ device: { snapshot } }: { device: Device }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.now}
      </Title>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" component="dl" m={0}>
        {MEASURES.map((measure) => {
          const value = snapshot[measure];
          return (
            <div key={measure}>
              <Text component="dt" size="xs" c="dimmed">
                {words.loads[measure]}
              </Text>
              <Text component="dd" m={0} fz="lg" fw={600}>
                {value === null ? '–' : `${metric(value)} %`}
              </Text>
            </div>
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}

function Running({ device: { containers } }: { device: Device }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.running}
      </Title>
      {containers.length === 0 ? (
        <Text c="dimmed">{words.nothingRuns}</Text>
      ) : (
        <Table.ScrollContainer minWidth={320}>
          <Table aria-label={words.running} verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.container.name}</Table.Th>
                <Table.Th>{words.container.status}</Table.Th>
                <Table.Th>{words.container.image}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {containers.map(({ name, image, status }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>
                    {status === null ? (
                      '–'
                    ) : (
                      <StateChip state={status} look={status === 'running' ? 'succeeded' : undefined} />
                    )}
                  </Table.Td>
                  <Table.Td className="mono">{image ?? '–'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
