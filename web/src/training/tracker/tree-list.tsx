import { Stack, Text, Title } from '@mantine/core';
import { EmptyState } from '../../shared/empty-state';
import type { Selection } from '../../shared/list/data-table';
import { text } from '../../text';
import { notebookCell } from './connect-card';
import { ExperimentRuns } from './experiment-runs';
import { foundTree, type TreeRow } from './tree-rows';

interface TreeListProps {
  readonly rows: readonly TreeRow[];
  /** Keys of the rows that are there no more. */
  readonly gone: ReadonlySet<string>;
  /** Words that experiments and runs are looked for by. */
  readonly wanted: string;
  /** State of the runs that are shown; '': any. */
  readonly status: string;
  readonly hidden: readonly string[];
  readonly chosen: Selection;
  readonly onChosen: (chosen: Selection) => void;
  readonly onRemoved: () => void;
}

/** The experiments of each project, with their runs. */
export function TreeList({ rows, wanted, status, ...props }: TreeListProps) {
  const words = text.training.tracker;
  if (rows.length === 0 && wanted === '' && status === '')
    return <EmptyState sentence={words.empty} code={notebookCell(window.location.origin)} />;
  // Those of the words before go at once, until the platform has found more.
  const found = foundTree(rows, wanted, status);
  if (found.length === 0) return <Text p="md">{text.lists.nothingFound}</Text>;
  return found.map((project) => (
    <Stack key={project.name} gap="xs" component="section" aria-label={project.name}>
      <Title order={2} size="h5">
        {project.name}
      </Title>
      {project.experiments.map((experiment) => (
        <ExperimentRuns key={experiment.id} experiment={experiment} {...props} />
      ))}
    </Stack>
  ));
}
