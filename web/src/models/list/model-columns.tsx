import { Group, Text } from '@mantine/core';
import type { Column } from '../../shared/list/column';
import { count } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { ModelLink, VersionLink } from '../../shared/links';
import type { Model } from '../queries';
import { StageChip } from '../../shared/stage-chip';
import { STAGES, type StageKey } from '../stages/stages';

const words = text.models.columns;

/** So many versions of one stage stand in a cell; the page of the model has the others. */
const SHOWN = 5;

/** The stage matrix: models down, stages across, versions in the cells. */
export const modelColumns: readonly Column<Model>[] = [
  { id: 'name', label: words.name, sort: 'name', cell: (model) => <ModelLink name={model.name} /> },
  ...STAGES.map(({ stage, key }) => ({
    id: key,
    label: text.models.stages[stage],
    cell: (model: Model) => <Versions model={model} stage={key} />,
  })),
  {
    id: 'latest',
    label: words.latest,
    sort: 'latest_version',
    align: 'right',
    cell: (model) =>
      model.latest_version === null ? '–' : <VersionLink name={model.name} version={model.latest_version} />,
  },
  {
    id: 'versions',
    label: words.versions,
    sort: 'version_count',
    align: 'right',
    cell: (model) => count(model.version_count),
  },
  {
    id: 'created',
    label: words.created,
    sort: 'created_at',
    isExtra: true,
    cell: (model) => <Time iso={model.created_at} />,
  },
  {
    id: 'updated',
    label: words.updated,
    sort: 'updated_at',
    cell: (model) => <Time iso={model.updated_at} />,
  },
];

function Versions({ model, stage }: { model: Model; stage: StageKey }) {
  const versions = model.stages[stage];
  if (versions.length === 0)
    return (
      <Text span c="dimmed">
        –
      </Text>
    );
  const rest = versions.length - SHOWN;
  return (
    <Group gap={8} wrap="wrap">
      {stage === 'production' && <StageChip stage="Production" label="" />}
      {versions.slice(0, SHOWN).map((version) => (
        <VersionLink key={version} name={model.name} version={version} />
      ))}
      {rest > 0 && <ModelLink name={model.name}>{text.models.more(rest)}</ModelLink>}
    </Group>
  );
}
