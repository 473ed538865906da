import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../app/session';
import { text } from '../text';
import { versionImageQuery } from './model-versions';

/** Why a version could not be packed with a server, where somebody is about to put it to use; nothing for others. */
export function Unservable({ model, version }: { model: string; version: number }) {
  const { data: image } = useQuery(versionImageQuery(useTenant(), model, version, true));
  if (image?.status !== 'FAILED') return null;
  return (
    <Alert color="red" variant="light" title={text.shared.unservable}>
      {image.status_message ?? text.shared.unservableUnknown}
    </Alert>
  );
}
