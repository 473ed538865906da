import { Code, Stack, Table, Text } from '@mantine/core';
import { DatasetLink } from '../../shared/links';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import type { Endpoint } from '../queries';

const words = text.serving.validation;

/** Last smoke on the validation dataset. */
export function Validation({
  endpoint: { validation, validation_dataset_id: dataset },
}: {
  endpoint: Endpoint;
}) {
  if (validation === null) return <Text c="dimmed">{dataset === null ? words.noDataset : words.none}</Text>;
  const kpis = Object.entries(
    typeof validation.kpis === 'object' && validation.kpis !== null ? validation.kpis : {},
  ).flatMap(([name, value]) => (typeof value === 'number' ? [{ name, value }] : []));
  return (
    <Stack gap="md">
      {dataset !== null && (
        <Text>
          {words.dataset}: <DatasetLink id={dataset} />
        </Text>
      )}
      {kpis.length > 0 && (
        <Table aria-label={words.label} maw={480}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.kpi}</Table.Th>
              <Table.Th ta="right">{words.value}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kpis.map(({ name, value }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ta="right">{metric(value)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <details>
        <summary>{words.raw}</summary>
        <Code block tabIndex={0}>
          {JSON.stringify(validation, null, 2)}
        </Code>
      </details>
    </Stack>
  );
}
