import { Alert } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useMe } from '../app/session';
import { text } from '../text';

/** Administration belongs to global administrators, whatever the role in a tenant. @returns null when the caller is one, else why not */
export const useNotAdministrator = (): string | null =>
  useMe().is_superuser ? null : text.admin.onlyAdministrators;

/** What only global administrators may read: others get the reason in its place, and nothing is asked for. */
export function ForAdministrators({ children }: { children: () => ReactNode }) {
  const reason = useNotAdministrator();
  if (reason === null) return children();
  return (
    <Alert
      variant="light"
      color="gray"
      icon={<IconLock aria-hidden />}
      title={text.admin.onlyAdministratorsTitle}
    >
      {reason}
    </Alert>
  );
}
