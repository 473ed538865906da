import { Stack, Text } from '@mantine/core';
import { api, body } from '../api/client';
import { SignInForm } from '../people/sign-in-form';
import { Dialog } from '../shared/dialog';
import { text } from '../text';
import { sayWhoIsHere } from './person-here';
import { useMe } from './session';

const stay = (): void => undefined;

/** Over a page whose session has ended: what was filled in stays below for the same person. */
export function SignInAgain() {
  const me = useMe();
  const words = text.people.signIn;
  const tell = async () => {
    // Not by the cache: there stands who was here before.
    const { id } = await body(api.GET('/users/me'));
    sayWhoIsHere(id);
  };
  return (
    <Dialog
      onClose={stay}
      title={words.over}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      // Whoever passes by reads nothing of the page.
      overlayProps={{ blur: 8, backgroundOpacity: 0.7 }}
    >
      <Stack gap="md">
        <Text size="sm">{words.overHint}</Text>
        <SignInForm email={me.email} onDone={tell} />
      </Stack>
    </Dialog>
  );
}
