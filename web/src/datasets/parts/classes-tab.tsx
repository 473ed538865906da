import { Anchor, Progress, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import { count, share } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import type { TabSearch } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { classesQuery, type DatasetDetail, type TaskType } from '../queries';

const words = text.datasets.classes;
const STEP = 200;

/** How often each class occurs, for each task that the dataset serves. */
export function ClassesTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const task = dataset.tasks.find((one) => one === search.task) ?? dataset.tasks[0];
  const query = useQuery({
    ...classesQuery(tenant, dataset, task as TaskType),
    enabled: dataset.status === 'FROZEN' && task !== undefined,
  });
  const isKnown = task !== undefined && dataset.status === 'FROZEN';
  usePageCurl(isKnown ? { path: `/api/v1/training/datasets/${dataset.id}/classes`, query: { task } } : null);
  if (task === undefined || dataset.status !== 'FROZEN')
    return (
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {words.notFrozen}
        </Text>
        <ClassTable classes={dataset.manifest.classes} total={dataset.manifest.class_count} />
      </Stack>
    );
  return (
    <Stack gap="sm">
      {dataset.tasks.length > 1 && (
        <SegmentedControl
          aria-label={words.task}
          style={{ alignSelf: 'flex-start', flexWrap: 'wrap' }}
          value={task}
          onChange={(value) => change({ task: value })}
          data={dataset.tasks.map((value) => ({ value, label: text.datasets.tasks[value] ?? value }))}
        />
      )}
      <Reading query={query} />
      {query.data && <ClassTable classes={query.data.items} total={query.data.total} />}
    </Stack>
  );
}

interface ClassCount {
  readonly name: string;
  readonly count: number;
}

function ClassTable({ classes, total }: { classes: readonly ClassCount[]; total: number }) {
  const change = useSearchChange();
  const [shown, setShown] = useState(STEP);
  const sorted = [...classes].sort((a, b) => b.count - a.count);
  const [most, least] = [sorted[0], sorted.at(-1)];
  if (!most || !least) return <Text>{words.none}</Text>;
  const all = sorted.reduce((sum, one) => sum + one.count, 0);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {sorted.length > 1 ? words.balance(most.name, least.name) : ''}{' '}
        {total > classes.length ? words.first(classes.length, total) : ''}
      </Text>
      <Table verticalSpacing={4} maw={760} aria-label={words.name}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th w="40%">{words.share}</Table.Th>
            <Table.Th ta="right">{words.count}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.slice(0, shown).map(({ name, count: times }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm" maw={260} truncate title={name}>
                  {name}
                </Text>
              </Table.Td>
              <Table.Td>
                <Progress
                  value={(times / Math.max(1, most.count)) * 100}
                  size="sm"
                  aria-label={`${name}: ${share(times / Math.max(1, all))}`}
                />
              </Table.Td>
              <Table.Td ta="right">
                <Anchor
                  component="button"
                  size="sm"
                  aria-label={`${count(times)}: ${words.show(name)}`}
                  onClick={() => change({ tab: undefined, class: name, finding: undefined })}
                >
                  {count(times)}
                </Anchor>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {sorted.length > shown && (
        <Anchor component="button" size="sm" ta="left" onClick={() => setShown(shown + STEP * 5)}>
          {text.datasets.validation.moreClasses(sorted.length - shown)}
        </Anchor>
      )}
    </Stack>
  );
}
