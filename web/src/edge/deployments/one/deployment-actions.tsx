import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTenant } from '../../../app/session';
import { Allowed } from '../../../shared/allowed';
import { Confirm } from '../../../shared/confirm';
import { type Deployment, deploymentsKey } from '../../../shared/deployments/queries';
import { text } from '../../../text';
import { deploymentQuery, giveOrder, type Order } from '../queries';
import { isOffered } from './orders';
import { RollbackDialog } from './rollback-dialog';

const words = text.deployments.control;

/** Orders to a deployment; each answers with the deployment as it is then. */
export function useOrder(id: string) {
  const tenant = useTenant();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (order: Order) => giveOrder(tenant, id, order),
    onSuccess: (deployment) => client.setQueryData(deploymentQuery(tenant, id).queryKey, deployment),
    onSettled: () => client.invalidateQueries({ queryKey: deploymentsKey(tenant) }),
  });
}

interface ActionsProps {
  readonly deployment: Deployment;
  readonly order: ReturnType<typeof useOrder>;
}

/** Pause, resume, abort, retry, roll back: those that its status allows. */
export function DeploymentActions({ deployment, order }: ActionsProps) {
  const [asked, ask] = useState<Order | null>(null);
  const { status, model_name: model, version, groups } = deployment;
  const name = text.deployments.name(model, version);
  const failed = groups.reduce((sum, group) => sum + group.failed, 0);
  const close = () => ask(null);
  const isPending = (which: Order) => order.isPending && order.variables === which;
  const run = (which: Order) => () => order.mutateAsync(which);
  return (
    <>
      {isOffered('abort', status) && (
        <Allowed to="DEPLOY">
          <Button variant="default" c="var(--state-failed)" onClick={() => ask('abort')}>
            {words.abort}
          </Button>
        </Allowed>
      )}
      {isOffered('rollback', status) && (
        <Allowed to="ROLLBACK">
          <Button variant="default" c="var(--state-failed)" onClick={() => ask('rollback')}>
            {words.rollback}
          </Button>
        </Allowed>
      )}
      {isOffered('pause', status) && (
        <Allowed to="DEPLOY">
          <Button variant="default" loading={isPending('pause')} onClick={() => order.mutate('pause')}>
            {words.pause}
          </Button>
        </Allowed>
      )}
      {isOffered('resume', status) && (
        <Allowed to="DEPLOY">
          <Button loading={isPending('resume')} onClick={() => order.mutate('resume')}>
            {words.resume}
          </Button>
        </Allowed>
      )}
      {isOffered('retry-failed', status) && (
        <Allowed to="DEPLOY">
          <Button onClick={() => ask('retry-failed')}>{words.retry}</Button>
        </Allowed>
      )}
      <Confirm
        opened={asked === 'abort'}
        onClose={close}
        title={words.abortTitle(name)}
        action={words.abort}
        run={run('abort')}
      >
        {words.abortHint}
      </Confirm>
      <Confirm
        opened={asked === 'retry-failed'}
        onClose={close}
        title={words.retryTitle(name)}
        action={words.retry}
        isGrave={false}
        run={run('retry-failed')}
      >
        {words.retryHint(failed)}
      </Confirm>
      {asked === 'rollback' && (
        <RollbackDialog deployment={deployment} onClose={close} run={run('rollback')} />
      )}
    </>
  );
}
