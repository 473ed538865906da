import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { notifyUndo } from '../../shared/notify-undo';
import { text } from '../../text';
import { type Device, deviceKey, fleetKey, pathOf } from '../queries';
import { useDeviceChange, useDeviceRenewal } from './use-device-change';

const words = text.edge.actions;

type Asked = 'restart' | 'block' | 'remove' | null;

/** Restart, block or unblock; delete is in the menu. */
export function DeviceActions({ device }: { device: Device }) {
  const [asked, ask] = useState<Asked>(null);
  const missing = useMissing('SETTINGS');
  return (
    <>
      <Allowed to="OPERATE">
        <Button variant="default" onClick={() => ask('block')}>
          {device.blocked ? words.unblock : words.block}
        </Button>
      </Allowed>
      <Allowed to="OPERATE">
        <Button variant="default" onClick={() => ask('restart')}>
          {words.restart}
        </Button>
      </Allowed>
      <MoreMenu>
        <MenuAction reason={missing} c="var(--state-failed)" onClick={() => ask('remove')}>
          {words.remove}
        </MenuAction>
      </MoreMenu>
      <Questions device={device} asked={asked} onClose={() => ask(null)} />
    </>
  );
}

interface QuestionsProps {
  readonly device: Device;
  readonly asked: Asked;
  readonly onClose: () => void;
}

/** What each leads to, before it is done. */
function Questions({ device: { id, blocked }, asked, onClose }: QuestionsProps) {
  const { api } = useTenant();
  const change = useDeviceChange(id);
  const restart = useRestart(id);
  const remove = useRemoval(id);
  const params = pathOf(id);
  const block = (isBlocked: boolean) =>
    change(
      body(api.POST('/api/v1/edge/devices/{device_id}/offline', { params, body: { blocked: isBlocked } })),
    );
  const turn = async () => {
    await block(!blocked);
    notifyUndo(blocked ? words.unblocked(id) : words.blocked(id), () => block(blocked));
  };
  return (
    <>
      <Confirm
        opened={asked === 'restart'}
        onClose={onClose}
        title={words.restartTitle(id)}
        action={words.restart}
        isGrave={false}
        run={restart}
      >
        {words.restartHint}
      </Confirm>
      <Confirm
        opened={asked === 'block'}
        onClose={onClose}
        title={blocked ? words.unblockTitle(id) : words.blockTitle(id)}
        action={blocked ? words.unblock : words.block}
        isGrave={!blocked}
        run={turn}
      >
        {blocked ? words.unblockHint : words.blockHint}
      </Confirm>
      <ConfirmByName
        opened={asked === 'remove'}
        onClose={onClose}
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

function useRestart(id: string): () => Promise<void> {
  const { api } = useTenant();
  const renew = useDeviceRenewal(id);
  return async () => {
    await body(api.POST('/api/v1/edge/devices/{device_id}/restart', { params: pathOf(id) }));
    notifications.show({ message: words.restarted });
    await renew();
  };
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
