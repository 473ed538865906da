import { Button, Group, NumberInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { type Endpoint, endpointQuery } from '../queries';

const words = text.serving.endpoint;

/** How many instances are wanted, and a way to change it. */
export function Replicas({ endpoint: { name, replicas } }: { endpoint: Endpoint }) {
  const tenant = useTenant();
  const missing = useMissing('OPERATE');
  const client = useQueryClient();
  const [typed, setTyped] = useState<number | string | null>(null);
  const wanted = typed ?? replicas;
  const change = useMutation({
    mutationFn: () =>
      body(
        tenant.api.PATCH('/api/v1/serving/endpoints/{name}', {
          params: { path: { name } },
          body: { replicas: Number(wanted) },
        }),
      ),
    onSuccess: (endpoint) => {
      setTyped(null);
      client.setQueryData(endpointQuery(tenant, name).queryKey, endpoint);
    },
  });
  const reason = Number(wanted) < 1 ? words.tooFew : Number(wanted) === replicas ? words.sameReplicas : null;
  return (
    <Stack gap="xs">
      <Group gap="xs" wrap="nowrap">
        <NumberInput
          size="xs"
          w={80}
          aria-label={words.replicasLabel}
          min={1}
          max={32}
          allowDecimal={false}
          value={wanted}
          onChange={setTyped}
        />
        <Explained reason={missing ?? reason}>
          <Button
            size="compact-sm"
            variant="default"
            loading={change.isPending}
            onClick={() => change.mutate()}
          >
            {words.change}
          </Button>
        </Explained>
      </Group>
      {change.isError && <ErrorCard error={change.error} />}
    </Stack>
  );
}
