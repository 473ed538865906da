import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoneNote, DoorLink, DoorLinks, EmailField } from '../door-parts';

/** The answer is the same whether or not the address has an account. */
export function ForgotPasswordPage() {
  const words = text.people.forgot;
  const [email, setEmail] = useState('');
  const ask = useMutation({
    mutationFn: (address: string) => body(api.POST('/auth/forgot-password', { body: { email: address } })),
  });
  return (
    <DoorFrame title={words.title}>
      {ask.isSuccess ? (
        <DoneNote title={words.sentTitle}>{words.sent(ask.variables)}</DoneNote>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            ask.mutate(email.trim());
          }}
        >
          <Stack gap="md">
            <Text>{words.intro}</Text>
            <EmailField value={email} onChange={setEmail} autoFocus />
            {ask.isError && <ErrorCard error={ask.error} />}
            <Button type="submit" loading={ask.isPending}>
              {words.submit}
            </Button>
          </Stack>
        </form>
      )}
      <DoorLinks>
        <DoorLink to="/reset-password">{words.enter}</DoorLink>
      </DoorLinks>
    </DoorFrame>
  );
}
