import { useQueryClient } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { type Device, deviceKey, deviceQuery, fleetKey } from '../queries';

/** Takes over what a change answers: the device as it is then. */
export function useDeviceChange(id: string): (call: Promise<Device>) => Promise<void> {
  const tenant = useTenant();
  const client = useQueryClient();
  return async (call) => {
    client.setQueryData(deviceQuery(tenant, id).queryKey, await call);
    void client.invalidateQueries({ queryKey: fleetKey(tenant) });
  };
}

/** Reads all of a device anew, where a change answers something else. */
export function useDeviceRenewal(id: string): () => Promise<void> {
  const tenant = useTenant();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: deviceKey(tenant, id) });
}
