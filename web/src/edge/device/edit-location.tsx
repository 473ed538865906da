import { Button, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { Confirm } from '../../shared/confirm';
import { text } from '../../text';
import { type Device, pathOf } from '../queries';
import { useDeviceChange } from './use-device-change';

const words = text.edge.actions;

/** Where a device stands, and a way to change it. */
export function EditLocation({ device }: { device: Device }) {
  const { api } = useTenant();
  const [isOpen, edit] = useDisclosure(false);
  const [typed, setTyped] = useState('');
  const change = useDeviceChange(device.id);
  const open = () => {
    setTyped(device.location ?? '');
    edit.open();
  };
  const location = typed.trim() || null;
  return (
    <Group gap="sm" wrap="wrap">
      <span>{device.location ?? text.edge.device.facts.noLocation}</span>
      <Allowed to="SETTINGS">
        <Button size="compact-sm" variant="default" onClick={open}>
          {words.location}
        </Button>
      </Allowed>
      <Confirm
        opened={isOpen}
        onClose={edit.close}
        title={words.locationTitle(device.id)}
        action={text.shared.save}
        isGrave={false}
        isReady={location !== device.location}
        field={
          <TextInput
            label={words.locationLabel}
            value={typed}
            maxLength={200}
            data-autofocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        }
        run={() =>
          change(
            body(
              api.PATCH('/api/v1/edge/devices/{device_id}', {
                params: pathOf(device.id),
                body: { location },
              }),
            ),
          )
        }
      >
        {words.locationHint}
      </Confirm>
    </Group>
  );
}
