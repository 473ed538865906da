import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import { MOST_RUNS } from '../compare/run-list';
import { cancelExperiment, deleteExperiment, type Experiment } from '../queries';
import { each } from './each';

/** What can be done with the chosen trainings. */
export function BulkActions({ rows, done }: { rows: readonly Experiment[]; done: () => void }) {
  const words = text.training.list;
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isAsked, ask] = useDisclosure(false);
  const [isCancelAsked, askCancel] = useDisclosure(false);
  const missing = useMissing('OPERATE');
  const moving = rows.filter(({ status }) => isMoving(status));
  const renew = () => void client.invalidateQueries({ queryKey: [tenant.code, 'training'] });
  const all = async (of: readonly Experiment[], call: (row: Experiment) => Promise<unknown>) => {
    await each(of, call, words.partly).finally(renew);
    done();
  };
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
      <Explained reason={missing ?? (moving.length === 0 ? words.nothingMoves : null)}>
        <Button size="compact-sm" variant="default" onClick={askCancel.open}>
          {words.cancel(moving.length)}
        </Button>
      </Explained>
      <Explained reason={missing ?? (moving.length > 0 ? words.notEnded : null)}>
        <Button size="compact-sm" variant="default" c="var(--state-failed)" onClick={ask.open}>
          {words.remove}
        </Button>
      </Explained>
      <Confirm
        opened={isCancelAsked}
        onClose={askCancel.close}
        title={words.cancelTitle(moving.length)}
        action={words.cancel(moving.length)}
        decline={text.training.one.goesOn}
        run={() => all(moving, ({ id }) => cancelExperiment(tenant, id))}
      >
        {text.training.one.cancelBody}
      </Confirm>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.removeTitle(rows.length)}
        name={only?.name ?? words.removeName(rows.length)}
        action={words.remove}
        run={() => all(rows, ({ id }) => deleteExperiment(tenant, id))}
      >
        {words.removeWhat}
      </ConfirmByName>
    </>
  );
}
