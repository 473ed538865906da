import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoneNote, DoorLink, DoorLinks, EmailField } from '../door-parts';
import { NewPasswordField } from '../password-field';

/** Whether anybody may register is the platform's to say: its refusal is shown as it comes. */
export function RegisterPage() {
  const words = text.people.register;
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const register = useMutation({
    mutationFn: async () => {
      const account = await body(
        api.POST('/auth/register', {
          body: { email: email.trim(), password, full_name: name.trim() || null },
        }),
      );
      // The account is there whether or not the mail can be asked for now: the next page asks again.
      await body(api.POST('/auth/request-verify-token', { body: { email: account.email } })).catch(
        () => undefined,
      );
      return account;
    },
  });
  return (
    <DoorFrame title={words.title}>
      {register.isSuccess ? (
        <DoneNote title={words.doneTitle}>{words.done(register.data.email)}</DoneNote>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            register.mutate();
          }}
        >
          <Stack gap="md">
            <EmailField value={email} onChange={setEmail} autoFocus />
            <TextInput
              label={words.name}
              name="name"
              autoComplete="name"
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NewPasswordField label={text.people.signIn.password} value={password} onChange={setPassword} />
            {register.isError && <ErrorCard error={register.error} />}
            <Button type="submit" loading={register.isPending}>
              {words.submit}
            </Button>
          </Stack>
        </form>
      )}
      <DoorLinks>
        <DoorLink to="/verify">{words.confirm}</DoorLink>
      </DoorLinks>
    </DoorFrame>
  );
}
