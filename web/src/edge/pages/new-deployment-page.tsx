import { Button, Grid, Paper, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { body, type Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { deploymentsKey } from '../../shared/deployments/queries';
import { ErrorCard } from '../../shared/error-card';
import { Page } from '../../shared/page';
import { useKept } from '../../shared/use-kept';
import { text } from '../../text';
import { BackFields } from '../deployments/create/back-fields';
import { draftOf, missingIn, requestOf } from '../deployments/create/draft';
import type { FieldsProps } from '../deployments/create/fields-props';
import { HowFields } from '../deployments/create/how-fields';
import { Plan } from '../deployments/create/plan';
import { WhatFields } from '../deployments/create/what-fields';
import { WhereFields } from '../deployments/create/where-fields';

const route = getRouteApi('/signed-in/t/$tenant/deployments/new');
const words = text.deployments.fresh;
const PATH = '/api/v1/deployments';

const PARTS: ReadonlyArray<readonly [title: string, fields: (props: FieldsProps) => ReactNode]> = [
  [words.what, WhatFields],
  [words.where, WhereFields],
  [words.how, HowFields],
  [words.back, BackFields],
];

/** Four parts on the left; what will happen stands beside them before anything does. */
export function NewDeploymentPage() {
  const tenant = useTenant();
  const search = route.useSearch();
  const [draft, change] = useKept(() => draftOf(search));
  const request = requestOf(draft);
  const [missing] = missingIn(draft);
  const create = useCreation();
  return (
    <Page
      title={words.title}
      crumbs={[
        { label: text.edge.title, to: '/t/$tenant/edge', params: { tenant: tenant.code } },
        { label: text.deployments.title, to: '/t/$tenant/deployments', params: { tenant: tenant.code } },
      ]}
      curl={{ method: 'POST', path: PATH, body: request ?? {} }}
      actions={
        <Allowed to="DEPLOY" reason={missing === undefined ? null : words.missing[missing]}>
          <Button loading={create.isPending} onClick={() => request !== null && create.mutate(request)}>
            {words.submit}
          </Button>
        </Allowed>
      }
    >
      <Stack gap="md">
        {create.isError && <ErrorCard error={create.error} />}
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="md">
              {PARTS.map(([title, Fields]) => (
                <Paper key={title} withBorder p="md" component="section" aria-label={title}>
                  <Stack gap="md">
                    <Title order={2} size="h5">
                      {title}
                    </Title>
                    <Fields draft={draft} onChange={change} />
                  </Stack>
                </Paper>
              ))}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Plan draft={draft} />
          </Grid.Col>
        </Grid>
      </Stack>
    </Page>
  );
}

function useCreation() {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (request: Schemas['DeploymentCreate']) => body(tenant.api.POST(PATH, { body: request })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: deploymentsKey(tenant) });
      await navigate({
        to: '/t/$tenant/deployments/$deploymentId',
        params: { tenant: tenant.code, deploymentId: id },
      });
    },
  });
}
