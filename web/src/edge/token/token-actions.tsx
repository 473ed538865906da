import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed, Explained } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { SecretDialog } from '../../shared/secret-dialog';
import { text } from '../../text';
import { useDeviceChange, useDeviceRenewal } from '../device/use-device-change';
import { type Device, type DeviceToken, pathOf } from '../queries';
import { NewDeviceToken } from './new-device-token';

const words = text.edge.token;

/** Replace or revoke. The new token is held by this component alone, while it is shown. */
export function TokenActions({ device: { id, token_expires_at: expires } }: { device: Device }) {
  const { api } = useTenant();
  const [asked, ask] = useState<'rotate' | 'revoke' | null>(null);
  const [made, setMade] = useState<DeviceToken | null>(null);
  const take = useDeviceChange(id);
  const renew = useDeviceRenewal(id);
  const params = pathOf(id);
  const close = () => ask(null);
  return (
    <Group gap="sm">
      <Allowed to="SETTINGS">
        <Button variant="default" onClick={() => ask('rotate')}>
          {words.rotate}
        </Button>
      </Allowed>
      <Allowed to="SETTINGS">
        <RevokeButton isRevoked={expires === null} onClick={() => ask('revoke')} />
      </Allowed>
      <Confirm
        opened={asked === 'rotate'}
        onClose={close}
        title={words.rotateTitle(id)}
        action={words.rotate}
        run={async () => {
          setMade(await body(api.POST('/api/v1/edge/devices/{device_id}/token:rotate', { params })));
          void renew();
        }}
      >
        {words.rotateHint}
      </Confirm>
      <ConfirmByName
        opened={asked === 'revoke'}
        onClose={close}
        title={words.revokeTitle(id)}
        name={id}
        action={words.revoke}
        run={async () => {
          await take(body(api.POST('/api/v1/edge/devices/{device_id}/token:revoke', { params })));
          notifications.show({ message: words.revokedNow });
        }}
      >
        {words.revokeHint}
      </ConfirmByName>
      <SecretDialog
        opened={made !== null}
        onClose={() => setMade(null)}
        title={words.newTitle(id)}
        holdsSecret
      >
        {made !== null && <NewDeviceToken made={made} onClose={() => setMade(null)} />}
      </SecretDialog>
    </Group>
  );
}

interface RevokeProps {
  readonly isRevoked: boolean;
  readonly onClick: () => void;
  readonly disabled?: boolean;
}

function RevokeButton({ isRevoked, onClick, disabled }: RevokeProps) {
  const button = (
    <Button variant="default" c="var(--state-failed)" disabled={disabled} onClick={onClick}>
      {words.revoke}
    </Button>
  );
  // A missing permission is the reason that is shown first.
  return disabled ? button : <Explained reason={isRevoked ? words.isRevoked : null}>{button}</Explained>;
}
