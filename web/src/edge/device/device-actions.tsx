import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { text } from '../../text';
import { type Device, deviceKey, fleetKey, pathOf } from '../queries';
import { useDeviceChange, useDeviceRenewal } from './use-device-change';

const words = text.edge.actions;

type Asked = 'restart' | 'block' | 'remove' | null;

/** Restart, block or unblock, delete. */
export function DeviceActions({ device: { id, blocked } }: { device: Device }) {
  const { api } = useTenant();
  const [asked, ask] = useState<Asked>(null);
  const change = useDeviceChange(id);
  const renew = useDeviceRenewal(id);
  const remove = useRemoval(id);
  const close = () => ask(null);
  const params = pathOf(id);
  return (
    <>
      <Allowed to="SETTINGS">
        <Button variant="default" c="var(--state-failed)" onClick={() => ask('remove')}>
          {words.remove}
        </Button>
      </Allowed>
      <Allowed to="OPERATE">
        <Button variant="default" onClick={() => ask('block')}>
          {blocked ? words.unblock : words.block}
        </Button>
      </Allowed>
      <Allowed to="OPERATE">
        <Button variant="default" onClick={() => ask('restart')}>
          {words.restart}
        </Button>
      </Allowed>
      <Confirm
        opened={asked === 'restart'}
        onClose={close}
        title={words.restartTitle(id)}
        action={words.restart}
        isGrave={false}
        run={async () => {
          await body(api.POST('/api/v1/edge/devices/{device_id}/restart', { params }));
          notifications.show({ message: words.restarted });
          await renew();
        }}
      >
        {words.restartHint}
      </Confirm>
      <Confirm
        opened={asked === 'block'}
        onClose={close}
        title={blocked ? words.unblockTitle(id) : words.blockTitle(id)}
        action={blocked ? words.unblock : words.block}
        isGrave={!blocked}
        run={() =>
          change(
            body(
              api.POST('/api/v1/edge/devices/{device_id}/offline', { params, body: { blocked: !blocked } }),
            ),
          )
        }
      >
        {blocked ? words.unblockHint : words.blockHint}
      </Confirm>
      <ConfirmByName
        opened={asked === 'remove'}
        onClose={close}
        title={words.removeTitle(id)}
        name={id}
        action={words.remove}
        run={remove}
      >
        {words.removeHint}
      </ConfirmByName>
    </>
  );
}

function useRemoval(id: string): () => Promise<void> {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await body(tenant.api.DELETE('/api/v1/edge/devices/{device_id}', { params: pathOf(id) }));
    await navigate({ to: '/t/$tenant/edge', params: { tenant: tenant.code } });
    client.removeQueries({ queryKey: deviceKey(tenant, id) });
    await client.invalidateQueries({ queryKey: fleetKey(tenant) });
    notifications.show({ message: words.removed(id) });
  };
}
