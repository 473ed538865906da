import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import { MOST_RUNS } from '../compare/run-list';
import { cancelExperiment, deleteExperiment, type Experiment } from '../queries';

/** Runs one call after another, and goes on after a failure. @throws the first failure, when all are through */
async function each(rows: readonly Experiment[], call: (row: Experiment) => Promise<unknown>): Promise<void> {
  let failure: unknown = null;
  for (const row of rows)
    await call(row).catch((error: unknown) => {
      failure ??= error;
    });
  if (failure !== null) throw failure;
}

/** What can be done with the chosen trainings. */
export function BulkActions({ rows, done }: { rows: readonly Experiment[]; done: () => void }) {
  const words = text.training.list;
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('OPERATE');
  const moving = rows.filter(({ status }) => isMoving(status));
  const renew = () => void client.invalidateQueries({ queryKey: [tenant.code, 'training'] });
  const cancel = useMutation({
    mutationFn: () => each(moving, ({ id }) => cancelExperiment(tenant, id)),
    onSettled: renew,
    onSuccess: done,
    onError: (error) => notifications.show({ color: 'red', message: error.message }),
  });
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
        <Button
          size="compact-sm"
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          {words.cancel(moving.length)}
        </Button>
      </Explained>
      <Explained reason={missing ?? (moving.length > 0 ? words.notEnded : null)}>
        <Button size="compact-sm" variant="default" c="var(--state-failed)" onClick={ask.open}>
          {words.remove}
        </Button>
      </Explained>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.removeTitle(rows.length)}
        name={only?.name ?? words.removeName(rows.length)}
        action={words.remove}
        run={async () => {
          await each(rows, ({ id }) => deleteExperiment(tenant, id)).finally(renew);
          done();
        }}
      >
        {words.removeWhat}
      </ConfirmByName>
    </>
  );
}
