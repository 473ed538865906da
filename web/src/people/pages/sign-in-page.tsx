import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { api, body } from '../../api/client';
import { ApiError } from '../../api/errors';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoorLink } from '../door-parts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const words = text.people.signIn;
  const { next } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const isSending = useRef(false);
  const signIn = useMutation({
    mutationFn: () =>
      body(
        api.POST('/auth/cookie/login', {
          body: { username: email.trim(), password },
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          bodySerializer: (form) => new URLSearchParams(form as unknown as Record<string, string>),
        }),
      ).catch((error: unknown) => {
        throw error instanceof ApiError && error.status === 400
          ? new ApiError(400, error.code, words.wrong, error.errorId)
          : error;
      }),
    onSuccess: async () => {
      client.clear();
      await router.navigate({ href: ownPage(next), replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A second Enter may come before the page has shown that the first was sent.
    if (isSending.current) return;
    isSending.current = true;
    signIn.mutate(undefined, {
      onSettled: () => {
        isSending.current = false;
      },
    });
  };
  return (
    <DoorFrame title={words.title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={words.email}
            type="email"
            name="username"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={words.password}
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {signIn.isError && <ErrorCard error={signIn.error} />}
          <Button type="submit" loading={signIn.isPending}>
            {words.submit}
          </Button>
          <Group justify="space-between" gap="sm">
            <DoorLink to="/forgot-password">{words.forgot}</DoorLink>
            <DoorLink to="/register">{words.register}</DoorLink>
          </Group>
        </Stack>
      </form>
    </DoorFrame>
  );
}

/** Only a page of the console: an address that somebody else put there leads to its start. */
const ownPage = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';
