import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import { MOST_RUNS } from '../compare/run-list';
import { deleteRun, isOpen, terminateRun } from './queries';
import type { TreeRun } from './tree-rows';

const words = text.training.tracker;

interface RunActionsProps {
  /** Ids of all that were chosen, whatever was searched for at the time: these are compared. */
  readonly chosen: readonly string[];
  /** Those of them that are shown: nothing is done to a run that nobody sees. */
  readonly runs: readonly TreeRun[];
  readonly done: () => void;
}

/** What can be done with the chosen runs. */
export function RunActions({ chosen, runs, done }: RunActionsProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const open = runs.filter(({ status }) => isOpen(status));
  const renew = () => client.invalidateQueries({ queryKey: [tenant.code, 'runs'] });
  const named = words.many(runs.length, runs[0]?.name ?? '');
  return (
    <Group gap="sm">
      <CompareButton ids={chosen} />
      {runs.length > 0 && (
        <>
          <BulkAction
            rows={open}
            call={({ run_id: id }) => terminateRun(tenant, id)}
            to="DEVELOP"
            action={words.terminate}
            reason={open.length === 0 ? words.noneOpen : null}
            title={words.terminateMany(words.many(open.length, open[0]?.name ?? ''))}
            renew={renew}
            done={done}
          >
            {words.terminateBody}
          </BulkAction>
          <BulkAction
            rows={runs}
            call={({ run_id: id }) => deleteRun(tenant, id)}
            to="DEVELOP"
            action={words.remove}
            title={words.removeMany(named)}
            name={named}
            renew={renew}
            done={done}
          >
            {words.removeRunWhat}
          </BulkAction>
        </>
      )}
    </Group>
  );
}

function CompareButton({ ids }: { ids: readonly string[] }) {
  const { code } = useTenant();
  const isFit = ids.length >= 2 && ids.length <= MOST_RUNS;
  const button = (
    <Button
      variant="default"
      size="compact-sm"
      renderRoot={
        isFit
          ? (props: object) => (
              <Link
                to="/t/$tenant/training/compare"
                params={{ tenant: code }}
                search={{ runs: ids.join() }}
                {...props}
              />
            )
          : undefined
      }
    >
      {words.compare} {ids.length > 0 && ids.length}
    </Button>
  );
  return <Explained reason={isFit ? null : text.training.list.compareNeeds}>{button}</Explained>;
}
