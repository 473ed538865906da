import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, body } from '../api/client';
import { isPassing, isSessionEnd } from '../api/errors';
import { ErrorCard } from '../shared/error-card';
import { text } from '../text';
import { sayWhoIsHere } from './person-here';

const PAUSES_MS = [500, 1_000];
const NOTICE = 'sign-out';

/** @returns what signs out in every tab of the browser; where the platform did not end the session it says so, and all stays */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    notifications.hide(NOTICE);
    try {
      await endSession();
    } catch (error) {
      notifications.show({
        id: NOTICE,
        autoClose: false,
        color: 'red',
        title: text.frame.stillSignedIn,
        message: <ErrorCard error={error} />,
      });
      return;
    }
    client.clear();
    await navigate({ to: '/sign-in', search: {} });
    sayWhoIsHere(null);
  };
}

async function endSession(): Promise<void> {
  for (const pause of [...PAUSES_MS, null]) {
    try {
      await body(api.POST('/auth/cookie/logout'));
      return;
    } catch (error) {
      // Whoever has no session any more is signed out too.
      if (isSessionEnd(error)) return;
      if (pause === null || !isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
