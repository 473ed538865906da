import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useMe, useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';
import { type Promotion, promotionQuery } from '../queries';

const words = text.models.promotion;

type Verb = 'approve' | 'reject';

/** Approve or reject with a comment; whoever may not reads why. */
export function Decision({ promotion }: { promotion: Promotion }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const me = useMe();
  const missing = useMissing('PRODUCTION_PROMOTE');
  const [comment, setComment] = useState('');
  const isOwn = promotion.created_by === me.id;
  const late =
    promotion.status === 'WAITING_APPROVAL' ? null : words.notWaiting(wordOf(promotion.status).toLowerCase());
  const decide = useMutation({
    mutationFn: (verb: Verb) => {
      const params = { path: { promotion_id: promotion.id } };
      const given = comment.trim() === '' ? {} : { comment: comment.trim() };
      return body(
        verb === 'approve'
          ? tenant.api.POST('/api/v1/promotions/{promotion_id}/approve', { params, body: given })
          : tenant.api.POST('/api/v1/promotions/{promotion_id}/reject', { params, body: given }),
      );
    },
    onSuccess: async (answer) => {
      client.setQueryData(promotionQuery(tenant, promotion.id).queryKey, answer);
      setComment('');
      await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
      await client.invalidateQueries({ queryKey: [tenant.code, 'promotions'] });
    },
  });
  const against = (verb: Verb) => missing ?? late ?? (isOwn && verb === 'approve' ? words.ownRequest : null);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text fw={600}>{words.decide}</Text>
        {isOwn && late === null && <Text size="sm">{words.ownRequest}</Text>}
        <Textarea
          label={words.comment}
          autosize
          minRows={2}
          maxLength={2000}
          disabled={missing !== null || late !== null}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        {decide.isError && <ErrorCard error={decide.error} />}
        <Group gap="sm">
          <Explained reason={against('approve')}>
            <Button
              loading={decide.isPending && decide.variables === 'approve'}
              onClick={() => decide.mutate('approve')}
            >
              {words.approve}
            </Button>
          </Explained>
          <Explained reason={against('reject')}>
            <Button
              variant="default"
              loading={decide.isPending && decide.variables === 'reject'}
              onClick={() => decide.mutate('reject')}
            >
              {isOwn ? words.takeBack : words.reject}
            </Button>
          </Explained>
        </Group>
      </Stack>
    </Paper>
  );
}
