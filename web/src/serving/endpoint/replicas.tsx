import { Button, Group, NumberInput, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { type Endpoint, endpointQuery } from '../queries';

const words = text.serving.endpoint;

/** How many instances are wanted, and a way to change it. */
export function Replicas({ endpoint: { name, replicas } }: { endpoint: Endpoint }) {
  const tenant = useTenant();
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
        <Allowed to="OPERATE">
          <Button
            size="compact-sm"
            variant="default"
            disabled={Number(wanted) === replicas || Number(wanted) < 1}
            loading={change.isPending}
            onClick={() => change.mutate()}
          >
            {words.change}
          </Button>
        </Allowed>
      </Group>
      {change.isError && <ErrorCard error={change.error} />}
    </Stack>
  );
}
