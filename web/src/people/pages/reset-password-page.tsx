import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoneNote, DoorLink, DoorLinks, TokenField } from '../door-parts';
import { useMailedToken } from '../mailed-token';
import { NewPasswordField } from '../password-field';

export function ResetPasswordPage() {
  const words = text.people.reset;
  const [token, setToken] = useMailedToken();
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: () => body(api.POST('/auth/reset-password', { body: { token, password } })),
  });
  return (
    <DoorFrame title={words.title}>
      {reset.isSuccess ? (
        <DoneNote title={words.doneTitle}>{words.done}</DoneNote>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            reset.mutate();
          }}
        >
          <Stack gap="md">
            <TokenField value={token} onChange={setToken} />
            <NewPasswordField label={words.password} value={password} onChange={setPassword} />
            {reset.isError && <ErrorCard error={reset.error} />}
            <Button type="submit" loading={reset.isPending}>
              {words.submit}
            </Button>
          </Stack>
        </form>
      )}
      <DoorLinks>{!reset.isSuccess && <DoorLink to="/forgot-password">{words.again}</DoorLink>}</DoorLinks>
    </DoorFrame>
  );
}
