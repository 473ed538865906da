import { Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, body } from '../../api/client';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { DoorFrame } from '../door-frame';
import { DoneNote, DoorLink, DoorLinks, EmailField, TokenField } from '../door-parts';
import { useMailedToken } from '../mailed-token';

export function VerifyPage() {
  const words = text.people.verify;
  const [token, setToken] = useMailedToken();
  const client = useQueryClient();
  const verify = useMutation({
    mutationFn: () => body(api.POST('/auth/verify', { body: { token } })),
    // A role may have come with it.
    onSuccess: () =>
      client.removeQueries({ predicate: ({ queryKey }) => ['me', 'tenants'].includes(String(queryKey[0])) }),
  });
  if (verify.isSuccess)
    return (
      <DoorFrame title={words.title}>
        <DoneNote title={words.doneTitle}>{words.done(verify.data.email)}</DoneNote>
        <DoorLink to="/">{words.goOn}</DoorLink>
      </DoorFrame>
    );
  return (
    <DoorFrame title={words.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          verify.mutate();
        }}
      >
        <Stack gap="md">
          <TokenField value={token} onChange={setToken} />
          {verify.isError && <ErrorCard error={verify.error} />}
          <Button type="submit" loading={verify.isPending}>
            {words.submit}
          </Button>
        </Stack>
      </form>
      <Divider label={words.noMail} />
      <MailAgain />
      <DoorLinks />
    </DoorFrame>
  );
}

function MailAgain() {
  const words = text.people.verify;
  const [email, setEmail] = useState('');
  const again = useMutation({
    mutationFn: () => body(api.POST('/auth/request-verify-token', { body: { email: email.trim() } })),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        again.mutate();
      }}
    >
      <Stack gap="sm">
        <EmailField value={email} onChange={setEmail} />
        {again.isError && <ErrorCard error={again.error} />}
        {again.isSuccess && (
          <Text size="sm" role="status">
            {words.sent}
          </Text>
        )}
        <Button type="submit" variant="default" loading={again.isPending}>
          {words.again}
        </Button>
      </Stack>
    </form>
  );
}
