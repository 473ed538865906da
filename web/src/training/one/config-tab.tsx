import { Button, Code, CopyButton, Group, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { stringify } from 'yaml';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { bytes } from '../../shared/numbers';
import { text } from '../../text';
import { type ExperimentDetail, launchQuery } from '../queries';

type Form = 'yaml' | 'json';

/** The config as it runs, and how it was launched. */
export function ConfigTab({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one.config;
  const [form, setForm] = useState<Form>('yaml');
  const shown = form === 'yaml' ? stringify(experiment.config) : JSON.stringify(experiment.config, null, 2);
  return (
    <Stack gap="md">
      <Text size="sm" component="div">
        {text.training.one.facts.digest}: <CopyText value={experiment.dataset_digest} />
      </Text>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={words.form}
          data={[
            { value: 'yaml', label: words.yaml },
            { value: 'json', label: words.json },
          ]}
          value={form}
          onChange={(value) => setForm(value as Form)}
        />
        <CopyButton value={shown}>
          {({ copied, copy }) => (
            <Button size="compact-sm" variant="default" onClick={copy}>
              {copied ? text.shared.copied : words.copy}
            </Button>
          )}
        </CopyButton>
        <Text size="sm" c="dimmed">
          {words.hint}
        </Text>
      </Group>
      <Code block tabIndex={0} style={{ overflowX: 'auto' }}>
        {shown}
      </Code>
      <Launch id={experiment.id} />
    </Stack>
  );
}

function Launch({ id }: { id: string }) {
  const words = text.training.one.config;
  const tenant = useTenant();
  const { data } = useQuery(launchQuery(tenant, id));
  if (!data) return null;
  const { pod } = data;
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      words.pod,
      `${pod.name}: ${pod.runtime}/${[pod.entrypoint, ...pod.args].join(' ')}, ${bytes(pod.memory_limit_bytes)}`,
    ],
    ...data.volumes.map((volume): [string, string] => [
      `${words.volumes}: ${volume.path}`,
      volume.description,
    ]),
    ...data.environment.map((variable): [string, string] => [
      variable.name,
      variable.value ?? (variable.from === 'secret' ? words.secret : words.host),
    ]),
  ];
  return (
    <details>
      <summary>
        <Title order={2} size="h5" display="inline">
          {words.launch}
        </Title>
      </summary>
      <Text size="sm" c="dimmed" mt="xs">
        {words.launchHint}
      </Text>
      <Table.ScrollContainer minWidth={400}>
        <Table fz="sm" verticalSpacing={4} aria-label={words.launch}>
          <Table.Tbody>
            {rows.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" className="mono" fw={400}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
