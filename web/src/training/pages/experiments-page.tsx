import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { Allowed, Explained } from '../../shared/allowed';
import { EmptyState } from '../../shared/empty-state';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { UpdatedAgo } from '../../shared/updated-ago';
import { text } from '../../text';
import { MOST_RUNS } from '../compare/run-list';
import { ConnectCard, notebookCell } from '../tracker/connect-card';
import { ExperimentRuns } from '../tracker/experiment-runs';
import { NewExperiment } from '../tracker/new-experiment';
import { type Tree, treeQuery } from '../tracker/queries';

const FEW = 200;
const MANY = 1000;

/** Projects, experiments and runs of the tracker. */
export function ExperimentsPage() {
  const words = text.training.tracker;
  const tenant = useTenant();
  const [most, setMost] = useState(FEW);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isOpen, dialog] = useDisclosure(false);
  const [isConnect, connect] = useDisclosure(false);
  const query = useQuery(treeQuery(tenant, most));
  const toggle = (runId: string) => {
    const next = new Set(chosen);
    if (!next.delete(runId)) next.add(runId);
    setChosen(next);
  };
  return (
    <Page
      title={words.title}
      description={words.description}
      curl={{ path: '/api/v1/experiments/tree', query: { max_runs: most } }}
      actions={
        <>
          <Button variant="default" onClick={connect.toggle} aria-expanded={isConnect}>
            {words.connect}
          </Button>
          <Allowed to="DEVELOP">
            <Button onClick={dialog.open}>{words.newExperiment}</Button>
          </Allowed>
        </>
      }
    >
      <Stack gap="md">
        {isConnect && <ConnectCard />}
        <Group gap="sm" role="search">
          <TextInput
            w={260}
            size="sm"
            type="search"
            data-search
            aria-label={words.filter}
            placeholder={words.filter}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
          <CompareButton chosen={chosen} />
        </Group>
        {query.isPending && <Loading />}
        {query.isError && <ErrorCard error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && (
          <>
            <TreeList tree={query.data} filter={filter} chosen={chosen} onToggle={toggle} />
            <Group gap="md">
              <Text size="sm" c="dimmed">
                {words.shown(count(Math.min(query.data.total, most)), count(query.data.total))}
              </Text>
              <UpdatedAgo at={query.dataUpdatedAt} />
              {query.data.total > most && most < MANY && (
                <Button size="compact-sm" variant="default" onClick={() => setMost(MANY)}>
                  {words.more}
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
      <NewExperiment opened={isOpen} onClose={dialog.close} />
    </Page>
  );
}

function CompareButton({ chosen }: { chosen: ReadonlySet<string> }) {
  const { code } = useTenant();
  const isFit = chosen.size >= 2 && chosen.size <= MOST_RUNS;
  const button = (
    <Button
      variant="default"
      size="sm"
      renderRoot={
        isFit
          ? (props: object) => (
              <Link
                to="/t/$tenant/training/compare"
                params={{ tenant: code }}
                search={{ runs: [...chosen].join() }}
                {...props}
              />
            )
          : undefined
      }
    >
      {text.training.tracker.compare} {chosen.size > 0 && chosen.size}
    </Button>
  );
  return <Explained reason={isFit ? null : text.training.list.compareNeeds}>{button}</Explained>;
}

interface TreeListProps {
  readonly tree: Tree;
  readonly filter: string;
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (runId: string) => void;
}

function TreeList({ tree, filter, chosen, onToggle }: TreeListProps) {
  const words = text.training.tracker;
  const wanted = filter.trim().toLowerCase();
  if (tree.items.length === 0)
    return <EmptyState sentence={words.empty} line={notebookCell(window.location.origin)} />;
  return tree.items.map((project) => {
    const experiments = project.experiments.flatMap((experiment) => {
      const isNamed = `${project.name}/${experiment.name}`.toLowerCase().includes(wanted);
      const runs = isNamed
        ? experiment.runs
        : experiment.runs.filter(({ name, run_id }) => `${name} ${run_id}`.toLowerCase().includes(wanted));
      return isNamed || runs.length > 0 ? [{ ...experiment, runs }] : [];
    });
    if (experiments.length === 0) return null;
    return (
      <Stack key={project.name} gap="xs" component="section" aria-label={project.name}>
        <Title order={2} size="h5">
          {project.name}
        </Title>
        {experiments.map((experiment) => (
          <ExperimentRuns key={experiment.id} experiment={experiment} chosen={chosen} onToggle={onToggle} />
        ))}
      </Stack>
    );
  });
}
