import { useLocalStorage } from '@mantine/hooks';

export type TimeForm = 'relative' | 'local' | 'utc';
export const TIME_FORMS: readonly TimeForm[] = ['relative', 'local', 'utc'];

/** How times are shown, in every tab of this browser. */
export const useTimeForm = () =>
  useLocalStorage<TimeForm>({
    key: 'visionops.times',
    defaultValue: 'relative',
    getInitialValueInEffect: false,
  });

const LAST_TENANT = 'visionops.tenant';

export const lastTenant = (): string | null => localStorage.getItem(LAST_TENANT);
export const rememberTenant = (code: string): void => localStorage.setItem(LAST_TENANT, code);
