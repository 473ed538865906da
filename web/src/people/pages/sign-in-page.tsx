import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoorLink } from '../door-parts';
import { SignInForm } from '../sign-in-form';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const words = text.people.signIn;
  const { next } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  const goOn = async () => {
    client.clear();
    const { draft } = router.state.location.state;
    await router.navigate({ href: ownPage(next), replace: true, state: { draft } });
  };
  return (
    <DoorFrame title={words.title}>
      <SignInForm onDone={goOn}>
        <Group justify="space-between" gap="sm">
          <DoorLink to="/forgot-password">{words.forgot}</DoorLink>
          <DoorLink to="/register">{words.register}</DoorLink>
        </Group>
      </SignInForm>
    </DoorFrame>
  );
}

/** Only a page of the console: an address that somebody else put there leads to its start. */
const ownPage = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
