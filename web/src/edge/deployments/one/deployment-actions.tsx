import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Permission, useTenant } from '../../../app/session';
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

const STEERS: readonly Permission[] = ['ROLLBACK', 'DEPLOY'];

/** In the order of the page, the one that goes on last. */
const BUTTONS: ReadonlyArray<{
  readonly order: Order;
  readonly label: string;
  /** Any of them is enough. */
  readonly permissions: readonly Permission[];
  readonly look: 'grave' | 'plain' | 'primary';
}> = [
  { order: 'abort', label: words.abort, permissions: STEERS, look: 'grave' },
  { order: 'rollback', label: words.rollback, permissions: ['ROLLBACK'], look: 'grave' },
  { order: 'pause', label: words.pause, permissions: STEERS, look: 'plain' },
  { order: 'resume', label: words.resume, permissions: STEERS, look: 'primary' },
  { order: 'retry-failed', label: words.retry, permissions: STEERS, look: 'primary' },
];
/** These are done without a question: they lead back to where they came from. */
const AT_ONCE: readonly Order[] = ['pause', 'resume'];

/** Pause, resume, abort, retry, roll back: those that its status allows. */
export function DeploymentActions({ deployment, order: orders }: ActionsProps) {
  const [asked, ask] = useState<Order | null>(null);
  return (
    <>
      {BUTTONS.filter(({ order }) => isOffered(order, deployment.status)).map(
        ({ order, label, permissions, look }) => (
          <Allowed key={order} to={permissions}>
            <Button
              variant={look === 'primary' ? 'filled' : 'default'}
              c={look === 'grave' ? 'var(--state-failed)' : undefined}
              loading={orders.isPending && orders.variables === order}
              onClick={() => (AT_ONCE.includes(order) ? orders.mutate(order) : ask(order))}
            >
              {label}
            </Button>
          </Allowed>
        ),
      )}
      <Questions deployment={deployment} orders={orders} asked={asked} onClose={() => ask(null)} />
    </>
  );
}

interface QuestionsProps {
  readonly deployment: Deployment;
  readonly orders: ReturnType<typeof useOrder>;
  readonly asked: Order | null;
  readonly onClose: () => void;
}

/** What an order leads to, before it is given. */
function Questions({ deployment, orders, asked, onClose }: QuestionsProps) {
  const { model_name: model, version, groups } = deployment;
  const name = text.deployments.name(model, version);
  const failed = groups.reduce((sum, group) => sum + group.failed, 0);
  const run = (order: Order) => () => orders.mutateAsync(order);
  return (
    <>
      <Confirm
        opened={asked === 'abort'}
        onClose={onClose}
        title={words.abortTitle(name)}
        action={words.abort}
        run={run('abort')}
      >
        {words.abortHint}
      </Confirm>
      <Confirm
        opened={asked === 'retry-failed'}
        onClose={onClose}
        title={words.retryTitle(name)}
        action={words.retry}
        isGrave={false}
        run={run('retry-failed')}
      >
        {words.retryHint(failed)}
      </Confirm>
      {asked === 'rollback' && (
        <RollbackDialog deployment={deployment} onClose={onClose} run={run('rollback')} />
      )}
    </>
  );
}
