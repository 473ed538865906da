import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import type { Deployment } from '../../shared/deployments/queries';
import { ErrorCard } from '../../shared/error-card';
import { lazyPart } from '../../shared/lazy-part';
import { Page } from '../../shared/page';
import { StateChip } from '../../shared/state-chip';
import { PageTabs } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { DeploymentActions, useOrder } from '../deployments/one/deployment-actions';
import { DeploymentFacts } from '../deployments/one/deployment-facts';
import { DevicesTab } from '../deployments/one/devices-tab';
import { useLiveDeployment } from '../deployments/one/live';
import { Overview } from '../deployments/one/overview';
import { deploymentQuery } from '../deployments/queries';

/** The viewer of logs is loaded when somebody looks at one. */
const LogTab = lazyPart(async () => (await import('../deployments/one/log-tab')).LogTab);

const route = getRouteApi('/signed-in/t/$tenant/deployments/$deploymentId');
const { tabs } = text.deployments.page;

/** One deployment: how far it is, where each device is, and how it is stopped or taken back. */
export function DeploymentPage() {
  const tenant = useTenant();
  const { deploymentId: id } = route.useParams();
  const query = useQuery(deploymentQuery(tenant, id));
  const order = useOrder(id);
  const { data: deployment } = query;
  useLiveDeployment(tenant, id);
  const params = { tenant: tenant.code };
  return (
    <Page
      title={
        deployment === undefined
          ? text.deployments.title
          : text.deployments.name(deployment.model_name, deployment.version)
      }
      crumbs={[
        { label: text.edge.title, to: '/t/$tenant/edge', params },
        { label: text.deployments.title, to: '/t/$tenant/deployments', params },
      ]}
      state={deployment && <StateChip state={deployment.status} />}
      curl={{ path: `/api/v1/deployments/${id}` }}
      actions={deployment && <DeploymentActions deployment={deployment} order={order} />}
    >
      <Stack gap="md">
        {order.isError && <ErrorCard error={order.error} />}
        <Reading query={query} />
        {deployment && <Shown deployment={deployment} />}
      </Stack>
    </Page>
  );
}

function Shown({ deployment }: { deployment: Deployment }) {
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 9 }}>
        <PageTabs
          tabs={[
            { id: 'overview', label: tabs.overview, body: () => <Overview deployment={deployment} /> },
            { id: 'devices', label: tabs.devices, body: () => <DevicesTab deployment={deployment} /> },
            { id: 'log', label: tabs.log, body: () => <LogTab deployment={deployment} /> },
          ]}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 3 }}>
        <DeploymentFacts deployment={deployment} />
      </Grid.Col>
    </Grid>
  );
}
