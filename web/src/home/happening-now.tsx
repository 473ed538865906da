import { Anchor, Badge, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useMe, useMissing, useTenant } from '../app/session';
import { StateChip } from '../shared/state-chip';
import { UpdatedAgo } from '../shared/updated-ago';
import { Reading } from '../shared/reading';
import { text } from '../text';
import { workQuery } from './queries';
import { Section } from './section';
import { type WorkItem, workItems } from './work-items';

const words = text.home;

/** Work under way, what waits for the reader, and what is not well. */
export function HappeningNow({ endpoints }: { endpoints: ReadonlyArray<Schemas['EndpointOut']> }) {
  const tenant = useTenant();
  const me = useMe();
  const mayApprove = useMissing('PRODUCTION_PROMOTE') === null;
  const work = useQuery(workQuery(tenant));
  if (work.data === undefined)
    return (
      <Section title={words.now}>
        <Reading query={work} lines={3} />
      </Section>
    );
  const reader = { id: me.id, mayApprove };
  const items = workItems(tenant.code, work.data, endpoints, reader, words.promotionName);
  return (
    <Section title={words.now}>
      <Paper withBorder>
        {items.length === 0 ? (
          <Text c="dimmed" p="md">
            {words.nothingNow}
          </Text>
        ) : (
          <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
            {items.map((item) => (
              <Line key={item.key} item={item} />
            ))}
          </Stack>
        )}
      </Paper>
      <UpdatedAgo at={work.dataUpdatedAt} />
    </Section>
  );
}

function Line({ item }: { item: WorkItem }) {
  const kinds = {
    training: words.training,
    validation: words.validation,
    sync: words.sync,
    promotion: words.promotion,
    endpoint: words.endpoint,
    deployment: words.deployment,
  };
  return (
    <Group
      component="li"
      gap="md"
      px="md"
      py="sm"
      align="flex-start"
      style={{ borderBottom: '1px solid var(--line)' }}
    >
      <span style={{ width: 150, flexShrink: 0 }}>
        <StateChip state={item.state} />
      </span>
      <Stack gap={2} style={{ flex: '1 1 200px', minWidth: 0 }}>
        <Group gap="sm">
          <Anchor
            fw={500}
            style={{ overflowWrap: 'anywhere' }}
            renderRoot={(props: object) => (
              <Link to={item.page.to as never} params={item.page.params as never} {...props} />
            )}
          >
            {item.name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {kinds[item.kind]}
          </Text>
          {item.isForReader && (
            <Badge variant="light" tt="none">
              {words.waitsForYou}
            </Badge>
          )}
        </Group>
        {item.message !== '' && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {item.message}
          </Text>
        )}
        {item.progress !== null && (
          <Group gap="sm" wrap="nowrap">
            <Progress
              value={item.progress * 100}
              style={{ flex: 1 }}
              size="sm"
              aria-label={`${item.name}: ${words.percent(item.progress)}`}
            />
            <Text size="xs" c="dimmed" w={40} ta="right">
              {words.percent(item.progress)}
            </Text>
          </Group>
        )}
      </Stack>
    </Group>
  );
}
