import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { BulkAction } from '../../shared/list/bulk-action';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import { MOST_RUNS } from '../compare/run-list';
import { cancelExperiment, deleteExperiment, type Experiment } from '../queries';

/** What can be done with the chosen trainings. */
export function BulkActions({ rows, done }: { rows: readonly Experiment[]; done: () => void }) {
  const words = text.training.list;
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  const moving = rows.filter(({ status }) => isMoving(status));
  const renew = () => void client.invalidateQueries({ queryKey: [tenant.code, 'training'] });
  const compare = () =>
    void navigate({
      to: '/t/$tenant/training/compare',
      params: { tenant: tenant.code },
      search: { runs: rows.map(({ tracker_run_id }) => tracker_run_id).join() },
    });
  const isComparable = rows.length >= 2 && rows.length <= MOST_RUNS;
  const only = rows.length === 1 ? rows[0] : undefined;
  return (
    <>
      <Explained reason={isComparable ? null : words.compareNeeds}>
        <Button size="compact-sm" variant="default" onClick={compare}>
          {words.compare}
        </Button>
      </Explained>
      <BulkAction
        rows={moving}
        call={({ id }) => cancelExperiment(tenant, id)}
        to="OPERATE"
        action={words.cancel(moving.length)}
        reason={moving.length === 0 ? words.nothingMoves : null}
        title={words.cancelTitle(moving.length)}
        decline={text.training.one.goesOn}
        renew={renew}
        done={done}
      >
        {text.training.one.cancelBody}
      </BulkAction>
      <BulkAction
        rows={rows}
        call={({ id }) => deleteExperiment(tenant, id)}
        to="OPERATE"
        action={words.remove}
        reason={moving.length > 0 ? words.notEnded : null}
        title={words.removeTitle(rows.length)}
        name={only?.name ?? words.removeName(rows.length)}
        renew={renew}
        done={done}
      >
        {words.removeWhat}
      </BulkAction>
    </>
  );
}
