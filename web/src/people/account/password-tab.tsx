import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { useMe } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { NewPasswordField } from '../password-field';

export function PasswordTab() {
  const words = text.people.account;
  const me = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      body(api.POST('/users/me/password', { body: { current_password: current, new_password: next } })),
    // It ends every session of the account, also the one of this page.
    onSuccess: async () => {
      client.clear();
      await navigate({ to: '/sign-in', search: {} });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack gap="md" maw={440}>
        <Text c="dimmed">{words.passwordNote}</Text>
        {/* Password managers want to know whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={me.email} />
        <PasswordInput
          label={words.currentPassword}
          name="current-password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPasswordField label={words.newPassword} value={next} onChange={setNext} />
        {change.isError && <ErrorCard error={change.error} />}
        <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          {words.changePassword}
        </Button>
      </Stack>
    </form>
  );
}
