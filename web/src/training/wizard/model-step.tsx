import { Badge, Group, Radio, Select, Stack, Table, Text, TextInput, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { Pretrained } from './pretrained';
import { type CatalogModel, frameworksQuery, modelsQuery } from './queries';
import type { DraftControl } from './use-draft';

export function ModelStep({ control }: { control: DraftControl }) {
  const words = text.training.wizard.model;
  const tenant = useTenant();
  const { task } = control.draft;
  const [framework, setFramework] = useState<string | null>(null);
  const [q, setQ] = useState('');
  const frameworks = useQuery(frameworksQuery(tenant, task)).data?.items ?? [];
  const query = useQuery(modelsQuery(tenant, task));
  if (query.data === undefined) return <Reading query={query} />;
  const { draft } = control;
  const chosen = query.data.items.find(
    (model) => model.framework === draft.framework && model.name === draft.model,
  );
  const shown = query.data.items
    .filter(
      (model) =>
        (framework === null || model.framework === framework) &&
        `${model.name} ${model.title} ${model.description}`.toLowerCase().includes(q.toLowerCase()),
    )
    .sort((one, other) => Number(other.available) - Number(one.available));
  return (
    <Stack gap="md">
      <Reading query={query} />
      <Group gap="sm" role="search">
        <TextInput
          type="search"
          data-search
          w={220}
          aria-label={words.search}
          placeholder={words.search}
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
        />
        <Select
          w={200}
          aria-label={words.framework}
          placeholder={words.all}
          clearable
          data={frameworks.map(({ name, title }) => ({ value: name, label: title }))}
          value={framework}
          onChange={setFramework}
        />
      </Group>
      {shown.length === 0 ? <Text>{words.nothing}</Text> : <ModelTable models={shown} control={control} />}
      <Pretrained control={control} sources={chosen?.pretrained_sources ?? []} />
    </Stack>
  );
}

function ModelTable({ models, control }: { models: readonly CatalogModel[]; control: DraftControl }) {
  const words = text.training.wizard.model;
  const { draft, chooseModel } = control;
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table verticalSpacing={6} highlightOnHover aria-label={words.name}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.name}</Table.Th>
            <Table.Th>{words.framework}</Table.Th>
            <Table.Th ta="right">{words.size}</Table.Th>
            <Table.Th ta="right">{words.map}</Table.Th>
            <Table.Th>{words.licence}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {models.map((model) => (
            <Table.Tr key={`${model.framework} ${model.name}`}>
              <Table.Td>
                <Tooltip label={model.reason} disabled={model.reason === null} multiline maw={320} withArrow>
                  <Radio
                    name="model"
                    disabled={!model.available}
                    label={<ModelName model={model} />}
                    description={model.reason ?? model.description}
                    checked={draft.model === model.name && draft.framework === model.framework}
                    onChange={() => chooseModel(model.framework, model.name)}
                  />
                </Tooltip>
              </Table.Td>
              <Table.Td>{model.framework}</Table.Td>
              <Table.Td ta="right">{model.parameters_m}</Table.Td>
              <Table.Td ta="right">{model.map ?? '–'}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{model.licence}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ModelName({ model }: { model: CatalogModel }) {
  return (
    <>
      {model.title}{' '}
      {model.default && (
        <Badge size="xs" variant="default" tt="none">
          {text.training.wizard.model.default}
        </Badge>
      )}
    </>
  );
}
