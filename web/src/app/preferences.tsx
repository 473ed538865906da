import { useLocalStorage } from '@mantine/hooks';
import type { Zone } from '../shared/moment';

export type TimeForm = 'relative' | 'local' | 'utc';
export const TIME_FORMS: readonly TimeForm[] = ['relative', 'local', 'utc'];

/** How times are shown, in every tab of this browser. */
export const useTimeForm = () =>
  useLocalStorage<TimeForm>({
    key: 'visionops.times',
    defaultValue: 'relative',
    getInitialValueInEffect: false,
  });

/** The zone that the reader chose; that of the browser for who wants relative times. */
export function useZone(): Zone {
  const [form] = useTimeForm();
  return form === 'utc' ? 'utc' : 'local';
}

const LAST_TENANT = 'visionops.tenant';

export const lastTenant = (): string | null => localStorage.getItem(LAST_TENANT);
export const rememberTenant = (code: string): void => localStorage.setItem(LAST_TENANT, code);
