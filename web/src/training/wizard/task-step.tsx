import { Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { tasksQuery } from './queries';
import type { DraftControl } from './use-draft';

export function TaskStep({ control }: { control: DraftControl }) {
  const words = text.training.wizard.task;
  const tenant = useTenant();
  const query = useQuery(tasksQuery(tenant));
  if (query.data === undefined) return <Reading query={query} />;
  return (
    <Radio.Group label={words.legend} value={control.draft.task} onChange={control.chooseTask}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt="xs">
        {query.data.items.map((task) => {
          const unusable = control.unusable.get(task.name);
          return (
            <Radio.Card
              key={task.name}
              value={task.name}
              disabled={!task.available}
              p="md"
              style={{ display: 'flex', alignItems: 'flex-start', gap: 12 }}
            >
              <Radio.Indicator disabled={!task.available} />
              <Stack gap={4}>
                <Text fw={600} lh="20px" c={task.available ? undefined : 'dimmed'}>
                  {task.title}
                </Text>
                <Text size="sm">{task.description}</Text>
                {task.reason !== null && (
                  <Text size="sm" c="dimmed">
                    {task.reason}
                  </Text>
                )}
                {unusable !== undefined && (
                  <Text size="sm" c="dimmed">
                    {words.notUsable} {unusable}
                  </Text>
                )}
              </Stack>
            </Radio.Card>
          );
        })}
      </SimpleGrid>
    </Radio.Group>
  );
}
