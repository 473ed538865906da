import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import type { ListSearch } from '../../shared/list/column';
import { useSearchChange } from '../../shared/search-change';
import { ColumnChooser, useHiddenColumns } from '../../shared/list/column-chooser';
import type { Selection } from '../../shared/list/data-table';
import { FilterSelect } from '../../shared/list/filter-select';
import { ListStatus } from '../../shared/list/list-status';
import { SearchBox } from '../../shared/list/search-box';
import { useSteadyRows } from '../../shared/list/steady-rows';
import { count } from '../../shared/numbers';
import { Page } from '../../shared/page';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';
import { ConnectCard } from '../tracker/connect-card';
import { NewExperiment } from '../tracker/new-experiment';
import { treeQuery } from '../tracker/queries';
import { RunActions } from '../tracker/run-actions';
import { RUN_COLUMNS } from '../tracker/run-columns';
import { TreeList } from '../tracker/tree-list';
import { shownRuns, type TreeRow, treeRows } from '../tracker/tree-rows';
import { useAskedDialog } from '../../shared/use-asked-dialog';

const route = getRouteApi('/signed-in/t/$tenant/experiments');
const FEW = 200;
const MANY = 1000;
const NOTHING: readonly TreeRow[] = [];
const NONE: ReadonlySet<string> = new Set();
/** Filters the runs that were read: the platform looks for words alone. */
const STATES = {
  key: 'status',
  label: text.training.tracker.state,
  options: ['RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'].map((value) => ({
    value,
    label: wordOf(value),
  })),
};
const keyOf = ({ key }: TreeRow): string => key;

/** Projects, experiments and runs of the tracker. */
export function ExperimentsPage() {
  const words = text.training.tracker;
  const tenant = useTenant();
  const search: ListSearch = route.useSearch();
  const { q = '', status = '' } = search;
  const [hidden, setHidden] = useHiddenColumns(words.title, RUN_COLUMNS);
  const change = useSearchChange();
  const [most, setMost] = useState(FEW);
  const [changes, setChanges] = useState(0);
  const [chosen, setChosen] = useState<Selection>({});
  const [isOpen, dialog] = useDisclosure(false);
  useAskedDialog(dialog.open);
  const [isConnect, connect] = useDisclosure(false);
  const query = useQuery(treeQuery(tenant, most, q));
  const { data: tree } = query;
  const steady = useSteadyRows({
    fresh: useMemo(() => (tree === undefined ? NOTHING : treeRows(tree)), [tree]),
    keyOf,
    // What the reader has made or deleted is shown at once.
    view: JSON.stringify([tenant.code, most, q, changes]),
    isOfView: tree !== undefined && !query.isPlaceholderData,
    own: NONE,
  });
  const onChanged = () => setChanges((before) => before + 1);
  const onDone = () => {
    setChosen({});
    onChanged();
  };
  const runs = shownRuns(steady.rows, q, String(status)).filter(
    ({ run_id: id }) => chosen[id] && !steady.gone.has(id),
  );
  return (
    <Page
      title={words.title}
      description={words.description}
      curl={{ path: '/api/v1/experiments/tree', query: { max_runs: most, q } }}
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
          <SearchBox
            label={words.filter}
            hint={words.filter}
            width={260}
            q={q}
            onSearch={(typed) => change({ q: typed || undefined })}
          />
          <FilterSelect filter={STATES} search={search} change={change} />
          <RunActions chosen={Object.keys(chosen)} runs={runs} done={onDone} />
          <Group ml="auto">
            <ColumnChooser columns={RUN_COLUMNS} hidden={hidden} onHidden={setHidden} />
          </Group>
        </Group>
        {tree === undefined && <Reading query={query} />}
        {tree && (
          <>
            <ListStatus
              total={tree.total}
              isCapped={false}
              when={<UpdatedAgo at={query.dataUpdatedAt} />}
              error={query.error}
              onRetry={() => void query.refetch()}
              news={{ fresh: steady.waiting, gone: steady.gone.size }}
              onShow={steady.show}
            />
            <TreeList
              rows={steady.rows}
              gone={steady.gone}
              wanted={q}
              status={String(status)}
              hidden={hidden}
              chosen={chosen}
              onChosen={setChosen}
              onRemoved={onChanged}
            />
            {tree.total > most && (
              <Group gap="md">
                <Text size="sm" c="dimmed">
                  {words.shown(count(most), count(tree.total))}
                </Text>
                {most < MANY && (
                  <Button size="compact-sm" variant="default" onClick={() => setMost(MANY)}>
                    {words.more}
                  </Button>
                )}
              </Group>
            )}
          </>
        )}
      </Stack>
      <NewExperiment opened={isOpen} onClose={dialog.close} onMade={onChanged} />
    </Page>
  );
}
