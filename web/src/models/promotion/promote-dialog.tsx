import { Input, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { body } from '../../api/client';
import { useMe, useTenant } from '../../app/session';
import { ConditionFields } from '../../shared/condition-fields';
import { type Condition, conditionOf, isCondition } from '../../shared/conditions';
import { Dialog } from '../../shared/dialog';
import { DialogEnd } from '../../shared/dialog-end';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { approvalQuery } from '../queries';

const words = text.models.promote;
const FRESH: Condition = { metric: 'accuracy', op: '<', value: 0.9, for: '1h' };

interface PromoteProps {
  readonly name: string;
  readonly version: number;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks for a promotion to Production, then leads to its trail. */
export function PromoteDialog({ name, version, opened, onClose }: PromoteProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [scope, setScope] = useState('');
  const [conditions, setConditions] = useState<readonly Condition[]>([]);
  const request = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/models/{name}/{version}/promote', {
          params: { path: { name, version } },
          body: {
            to_version: version,
            reason: reason.trim(),
            ...(scope.trim() === '' ? {} : { scope: scope.trim() }),
            rollback_conditions: conditions.map(conditionOf),
          },
        }),
      ),
    onSuccess: async (promotion) => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
      await client.invalidateQueries({ queryKey: [tenant.code, 'promotions'] });
      await navigate({
        to: '/t/$tenant/promotions/$promotionId',
        params: { tenant: tenant.code, promotionId: promotion.id },
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate();
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={words.title(name, version)}
      size="lg"
      isBusy={request.isPending}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {words.what} <ApprovalRule />
          </Text>
          <Textarea
            label={words.reason}
            description={words.reasonHint}
            required
            maxLength={2000}
            autosize
            minRows={2}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <TextInput
            label={words.scope}
            description={words.scopeHint}
            maxLength={200}
            value={scope}
            onChange={(event) => setScope(event.currentTarget.value)}
          />
          <Input.Wrapper label={words.conditions} description={words.conditionsHint} labelElement="div">
            <div style={{ height: 8 }} />
            <ConditionFields
              conditions={conditions}
              onChange={setConditions}
              metrics={words.metrics}
              fresh={FRESH}
            />
          </Input.Wrapper>
          {request.isError && <ErrorCard error={request.error} />}
          <DialogEnd
            onCancel={onClose}
            action={words.submit}
            isBusy={request.isPending}
            isReady={reason.trim() !== '' && conditions.every(isCondition)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** What the tenant asks of a promotion, as far as the caller may read it. */
function ApprovalRule() {
  const { code } = useTenant();
  const { data } = useQuery(approvalQuery(code, useMe().is_superuser));
  if (data === undefined) return words.approvalUnknown;
  return data ? words.approvalOn : words.approvalOff;
}
