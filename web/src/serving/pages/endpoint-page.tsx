import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { lazyPart } from '../../shared/lazy-part';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { EndpointActions, useOrder } from '../endpoint/endpoint-actions';
import { EndpointFacts } from '../endpoint/endpoint-facts';
import { Validation } from '../endpoint/validation';
import { EndpointState } from '../endpoint-state';
import { type Endpoint, endpointQuery, servedQuery } from '../queries';
import { TryIt } from '../try/try-it';

/** The viewer of logs is loaded when somebody looks at one. */
const EndpointLog = lazyPart(async () => (await import('../log/endpoint-log')).EndpointLog);

const route = getRouteApi('/signed-in/t/$tenant/serving/$endpoint');
const words = text.serving.endpoint;

/** One endpoint: its state with the reason, a place to try it, and what it prints. */
export function EndpointPage() {
  const tenant = useTenant();
  const { endpoint: name } = route.useParams();
  const query = useQuery(endpointQuery(tenant, name));
  const order = useOrder(name);
  const { data: endpoint } = query;
  return (
    <Page
      title={name}
      crumbs={[{ label: text.serving.title, to: '/t/$tenant/serving', params: { tenant: tenant.code } }]}
      state={endpoint && <EndpointState status={endpoint.status} />}
      description={endpoint?.status_message ?? undefined}
      curl={{ path: `/api/v1/serving/endpoints/${name}` }}
      actions={endpoint && <EndpointActions endpoint={endpoint} order={order} />}
    >
      <Stack gap="md">
        {order.isError && <ErrorCard error={order.error} />}
        <Reading query={query} />
        {endpoint && <Shown endpoint={endpoint} />}
      </Stack>
    </Page>
  );
}

function Shown({ endpoint }: { endpoint: Endpoint }) {
  const tenant = useTenant();
  const { data, isPending } = useQuery(servedQuery(tenant, endpoint));
  const served = data ?? null;
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 9 }}>
        <PageTabs
          tabs={[
            {
              id: 'try',
              label: words.tabs.try,
              body: () => <TryIt endpoint={endpoint} served={isPending ? undefined : served} />,
            },
            { id: 'log', label: words.tabs.log, body: () => <EndpointLog endpoint={endpoint} /> },
            {
              id: 'validation',
              label: words.tabs.validation,
              body: () => <Validation endpoint={endpoint} />,
            },
          ]}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 3 }}>
        <EndpointFacts endpoint={endpoint} served={served} />
      </Grid.Col>
    </Grid>
  );
}
