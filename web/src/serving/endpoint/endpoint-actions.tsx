import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { AskingButton } from '../../shared/asking-button';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { text } from '../../text';
import { type Endpoint, endpointQuery, mayStart } from '../queries';

const words = text.serving.endpoint;

type Order = 'start' | 'stop' | 'heartbeat';

/** Orders to an endpoint; each answers with the endpoint as it is then. */
export function useOrder(name: string) {
  const tenant = useTenant();
  const client = useQueryClient();
  const params = { path: { name } };
  return useMutation({
    mutationFn: (order: Order) => {
      switch (order) {
        case 'start':
          return body(tenant.api.POST('/api/v1/serving/endpoints/{name}/start', { params }));
        case 'stop':
          return body(tenant.api.POST('/api/v1/serving/endpoints/{name}/stop', { params }));
        case 'heartbeat':
          return body(tenant.api.POST('/api/v1/serving/endpoints/{name}/heartbeat', { params }));
      }
    },
    onSuccess: (endpoint) => client.setQueryData(endpointQuery(tenant, name).queryKey, endpoint),
    onSettled: () => client.invalidateQueries({ queryKey: [tenant.code, 'endpoints'] }),
  });
}

interface ActionsProps {
  readonly endpoint: Endpoint;
  readonly order: ReturnType<typeof useOrder>;
}

/** Start or stop, check; delete is in the menu. */
export function EndpointActions({ endpoint: { name, status }, order }: ActionsProps) {
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('DEPLOY');
  const remove = useRemoval(name);
  const isPending = (which: Order) => order.isPending && order.variables === which;
  return (
    <>
      {status !== 'STOPPED' && (
        <Allowed to="OPERATE">
          <Button
            variant="default"
            loading={isPending('heartbeat')}
            onClick={() => order.mutate('heartbeat')}
          >
            {words.check}
          </Button>
        </Allowed>
      )}
      {status !== 'STOPPED' && (
        <AskingButton
          to="OPERATE"
          action={words.stop}
          title={words.stopTitle(name)}
          run={() => order.mutateAsync('stop')}
        >
          {words.stopBody}
        </AskingButton>
      )}
      {mayStart({ status }) && (
        <Allowed to="OPERATE">
          <Button loading={isPending('start')} onClick={() => order.mutate('start')}>
            {words.start}
          </Button>
        </Allowed>
      )}
      <MoreMenu>
        <MenuAction reason={missing} c="var(--state-failed)" onClick={ask.open}>
          {words.delete}
        </MenuAction>
      </MoreMenu>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.deleteTitle(name)}
        name={name}
        action={words.delete}
        run={remove}
      >
        {words.deleteBody}
      </ConfirmByName>
    </>
  );
}

function useRemoval(name: string): () => Promise<void> {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await body(tenant.api.DELETE('/api/v1/serving/endpoints/{name}', { params: { path: { name } } }));
    await navigate({ to: '/t/$tenant/serving', params: { tenant: tenant.code } });
    client.removeQueries({ queryKey: endpointQuery(tenant, name).queryKey });
    await client.invalidateQueries({ queryKey: [tenant.code, 'endpoints'] });
    notifications.show({ message: words.deleted(name) });
  };
}
