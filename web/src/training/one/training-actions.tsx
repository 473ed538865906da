import { Button, Checkbox, Menu, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { AskingButton } from '../../shared/asking-button';
import { Confirm } from '../../shared/confirm';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import {
  cancelExperiment,
  deleteExperiment,
  type ExperimentDetail,
  experimentKey,
  retryExperiment,
} from '../queries';
import { type Run, runQuery } from '../tracker/queries';
import { RegisterButton } from '../tracker/register-button';

/** What fits the state: cancel it, try again, register its model; the rest is in a menu. */
export function TrainingActions({ experiment }: { experiment: ExperimentDetail }) {
  const tenant = useTenant();
  const { data: run } = useQuery({
    ...runQuery(tenant, experiment.tracker_run_id),
    enabled: experiment.status === 'SUCCEEDED',
  });
  return (
    <>
      {isMoving(experiment.status) && <CancelButton experiment={experiment} />}
      {(experiment.status === 'FAILED' || experiment.status === 'CANCELED') && (
        <RetryButton experiment={experiment} />
      )}
      {experiment.status === 'SUCCEEDED' && run !== undefined && (
        <>
          <RegisterButton run={run} wish={String(experiment.config.register_model_name ?? experiment.name)} />
          <ServeButton run={run} />
        </>
      )}
      <Rest experiment={experiment} />
    </>
  );
}

/** Serves the version that was made of a run last; none is there before it is registered. */
function ServeButton({ run }: { run: Run }) {
  const { code } = useTenant();
  const latest = run.registered_versions.at(-1);
  if (latest === undefined) return null;
  return (
    <Allowed to="DEPLOY">
      <Button
        renderRoot={(props: object) => (
          <Link
            to="/t/$tenant/serving/new"
            params={{ tenant: code }}
            search={{ model: latest.name, version: String(latest.version) }}
            {...props}
          />
        )}
      >
        {text.training.one.serve}
      </Button>
    </Allowed>
  );
}

function CancelButton({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const client = useQueryClient();
  const cancel = async () => {
    await cancelExperiment(tenant, experiment.id).finally(
      () => void client.invalidateQueries({ queryKey: experimentKey(tenant, experiment.id) }),
    );
    notifications.show({ message: words.canceled });
  };
  return (
    <AskingButton
      to="OPERATE"
      action={words.cancel}
      decline={words.goesOn}
      title={words.cancelTitle(experiment.name)}
      run={cancel}
    >
      {words.cancelBody}
    </AskingButton>
  );
}

function RetryButton({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const client = useQueryClient();
  const [isAsked, ask] = useDisclosure(false);
  const [resume, setResume] = useState(true);
  const retry = () =>
    retryExperiment(tenant, experiment.id, resume).finally(
      () => void client.invalidateQueries({ queryKey: experimentKey(tenant, experiment.id) }),
    );
  return (
    <>
      <Allowed to="DEVELOP">
        <Button onClick={ask.open}>{words.retry}</Button>
      </Allowed>
      <Confirm
        opened={isAsked}
        onClose={ask.close}
        title={words.retryTitle}
        action={words.retry}
        run={retry}
        isGrave={false}
      >
        <Stack gap="md">
          {words.retryWhat}
          <Checkbox
            label={words.resume}
            checked={resume}
            onChange={(event) => setResume(event.currentTarget.checked)}
          />
        </Stack>
      </Confirm>
    </>
  );
}

function Rest({ experiment }: { experiment: ExperimentDetail }) {
  const words = text.training.one;
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isAsked, ask] = useDisclosure(false);
  const mayNotClone = useMissing('DEVELOP');
  const mayNotRemove = useMissing('OPERATE');
  const params = { tenant: tenant.code };
  const whyNot = mayNotRemove ?? (isMoving(experiment.status) ? words.stillMoves : null);
  return (
    <>
      <MoreMenu>
        <MenuAction
          reason={mayNotClone}
          renderRoot={(props: object) => (
            <Link to="/t/$tenant/training/new" params={params} search={{ from: experiment.id }} {...props} />
          )}
        >
          {words.clone}
        </MenuAction>
        <Menu.Item
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/training/compare"
              params={params}
              search={{ runs: experiment.tracker_run_id }}
              {...props}
            />
          )}
        >
          {words.compare}
        </Menu.Item>
        <Menu.Item
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/runs/$runId"
              params={{ ...params, runId: experiment.tracker_run_id }}
              {...props}
            />
          )}
        >
          {words.openRun}
        </Menu.Item>
        <Menu.Divider />
        <MenuAction reason={whyNot} c="var(--state-failed)" onClick={ask.open}>
          {words.remove}
        </MenuAction>
      </MoreMenu>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.removeTitle(experiment.name)}
        name={experiment.name}
        action={words.remove}
        run={async () => {
          await deleteExperiment(tenant, experiment.id);
          notifications.show({ message: words.removed });
          await navigate({ to: '/t/$tenant/training', params });
          client.removeQueries({ queryKey: experimentKey(tenant, experiment.id) });
          await client.invalidateQueries({ queryKey: [tenant.code, 'training'] });
        }}
      >
        {words.removeWhat}
      </ConfirmByName>
    </>
  );
}
