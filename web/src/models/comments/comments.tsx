import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { commentsQuery } from '../queries';
import { usePageCurl } from '../../shared/page-curl';

const words = text.models.comments;

/** What people said about a version, newest first. */
export function Comments({ name, version }: { name: string; version: number }) {
  const tenant = useTenant();
  usePageCurl({ path: `/api/v1/models/${encodeURIComponent(name)}/${version}/comments` });
  const query = useQuery(commentsQuery(tenant, name, version));
  return (
    <Stack gap="md" maw={800}>
      <NewComment name={name} version={version} />
      <Reading query={query} lines={3} />
      {query.data?.items.length === 0 && <Text c="dimmed">{words.empty}</Text>}
      {query.data?.items.map((comment) => (
        <Paper key={comment.id} withBorder p="md">
          <Group gap="sm" mb={4}>
            <Text fw={600}>{comment.author_name ?? words.someone}</Text>
            <Text size="sm" c="dimmed">
              <Time iso={comment.created_at} />
            </Text>
          </Group>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{comment.body}</Text>
        </Paper>
      ))}
    </Stack>
  );
}

function NewComment({ name, version }: { name: string; version: number }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const send = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/models/{name}/{version}/comments', {
          params: { path: { name, version } },
          body: { body: typed.trim() },
        }),
      ),
    onSuccess: async () => {
      setTyped('');
      await client.invalidateQueries({ queryKey: commentsQuery(tenant, name, version).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') send.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" align="flex-start">
        <Textarea
          w="100%"
          label={words.label}
          placeholder={words.placeholder}
          autosize
          minRows={2}
          maxLength={10_000}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {send.isError && <ErrorCard error={send.error} />}
        <Allowed to="DEVELOP">
          <Button type="submit" loading={send.isPending} disabled={typed.trim() === ''}>
            {words.send}
          </Button>
        </Allowed>
      </Stack>
    </form>
  );
}
