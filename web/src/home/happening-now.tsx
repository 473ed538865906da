import { Anchor, Badge, Group, Paper, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Schemas } from '../api/client';
import { useMe, useMissing, useTenant } from '../app/session';
import { News } from '../shared/list/news';
import { isCurrent, useSteadyRows } from '../shared/list/steady-rows';
import { StateChip } from '../shared/state-chip';
import { UpdatedAgo } from '../shared/updated-ago';
import { Reading } from '../shared/reading';
import { text } from '../text';
import { workQuery } from './queries';
import { Section } from './section';
import { type WorkItem, workItems } from './work-items';

const words = text.home;
const NONE: ReadonlySet<string> = new Set();

/** Work under way, what waits for the reader, and what is not well. */
export function HappeningNow({ endpoints }: { endpoints: ReadonlyArray<Schemas['EndpointOut']> }) {
  const tenant = useTenant();
  const { code } = tenant;
  const me = useMe();
  const mayApprove = useMissing('PRODUCTION_PROMOTE') === null;
  const work = useQuery(workQuery(tenant));
  const { data } = work;
  const items = useMemo(
    () =>
      data === undefined
        ? []
        : workItems(code, data, endpoints, { id: me.id, mayApprove }, words.promotionName),
    [code, data, endpoints, me.id, mayApprove],
  );
  const steady = useSteadyRows({
    fresh: items,
    keyOf: ({ key }) => key,
    view: code,
    isOfView: isCurrent(work),
    own: NONE,
  });
  if (data === undefined)
    return (
      <Section title={words.now}>
        <Reading query={work} lines={3} />
      </Section>
    );
  return (
    <Section title={words.now}>
      <Paper withBorder>
        {steady.rows.length === 0 ? (
          <Text c="dimmed" p="md">
            {words.nothingNow}
          </Text>
        ) : (
          <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
            {steady.rows.map((item) => (
              <Line key={item.key} item={item} isGone={steady.gone.has(item.key)} />
            ))}
          </Stack>
        )}
      </Paper>
      <Group justify="space-between" mih={30}>
        <UpdatedAgo at={work.dataUpdatedAt} />
        <div role="status">
          <News fresh={steady.waiting} gone={steady.gone.size} onShow={steady.show} />
        </div>
      </Group>
    </Section>
  );
}

function Line({ item, isGone }: { item: WorkItem; isGone: boolean }) {
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
      opacity={isGone ? 0.45 : undefined}
      style={{ borderBottom: '1px solid var(--line)' }}
    >
      <span style={{ width: 150, flexShrink: 0 }}>
        <StateChip state={item.state} />
        {isGone && <VisuallyHidden>{text.lists.gone}</VisuallyHidden>}
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
