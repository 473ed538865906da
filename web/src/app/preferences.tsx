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

/** Whether single letters and signs are shortcuts; who speaks to the browser may press them by accident. */
export const useLetterKeys = () =>
  useLocalStorage<boolean>({ key: 'visionops.keys', defaultValue: true, getInitialValueInEffect: false });

const LAST_TENANT = 'visionops.tenant';

export const lastTenant = (): string | null => localStorage.getItem(LAST_TENANT);
export const rememberTenant = (code: string): void => localStorage.setItem(LAST_TENANT, code);
