import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { api, body } from '../api/client';
import { ApiError } from '../api/errors';
import { ErrorCard } from '../shared/error-card';
import { text } from '../text';

interface SignInFormProps {
  /** Filled in for who was here before. */
  readonly email?: string;
  readonly onDone: () => Promise<void>;
  /** Below the button. */
  readonly children?: ReactNode;
}

/** Over a dialog Escape must not close what stands below. */
const OWN_ESCAPE = { 'data-mantine-stop-propagation': 'true' };

export function SignInForm({ email: known = '', onDone, children }: SignInFormProps) {
  const words = text.people.signIn;
  const [email, setEmail] = useState(known);
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
    onSuccess: onDone,
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
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          {...OWN_ESCAPE}
          label={words.email}
          type="email"
          name="username"
          autoComplete="username"
          required
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          {...OWN_ESCAPE}
          label={words.password}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus={known !== '' || undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {signIn.isError && <ErrorCard error={signIn.error} />}
        <Button {...OWN_ESCAPE} type="submit" loading={signIn.isPending}>
          {words.submit}
        </Button>
        {children}
      </Stack>
    </form>
  );
}
