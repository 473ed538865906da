import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { DeviceState } from '../../shared/device-state';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { CommandsTab } from '../commands/commands-tab';
import { DeviceActions } from '../device/device-actions';
import { useLiveDevice } from '../device/live';
import { Overview } from '../device/overview';
import { InferenceTab } from '../feeds/inference-tab';
import { TelemetryTab } from '../feeds/telemetry-tab';
import { PolicyTab } from '../policy/policy-tab';
import { type Device, deviceQuery } from '../queries';
import { TokenTab } from '../token/token-tab';
import { UploadsTab } from '../uploads/uploads-tab';

const route = getRouteApi('/signed-in/t/$tenant/edge/$deviceId');
const { tabs } = text.edge.device;

/** One device: how it is, what it sends, and its commands. */
export function DevicePage() {
  const tenant = useTenant();
  const { deviceId: id } = route.useParams();
  const query = useQuery(deviceQuery(tenant, id));
  const { data: device } = query;
  useLiveDevice(tenant, id);
  return (
    <Page
      title={id}
      crumbs={[{ label: text.edge.title, to: '/t/$tenant/edge', params: { tenant: tenant.code } }]}
      state={device && <DeviceState status={device.status} />}
      curl={{ path: `/api/v1/edge/devices/${encodeURIComponent(id)}` }}
      actions={device && <DeviceActions device={device} />}
    >
      <Reading query={query} />
      {device && <Shown device={device} />}
    </Page>
  );
}

function Shown({ device }: { device: Device }) {
  return (
    <PageTabs
      tabs={[
        { id: 'overview', label: tabs.overview, body: () => <Overview device={device} /> },
        { id: 'telemetry', label: tabs.telemetry, body: () => <TelemetryTab device={device} /> },
        { id: 'inference', label: tabs.inference, body: () => <InferenceTab device={device} /> },
        { id: 'commands', label: tabs.commands, body: () => <CommandsTab device={device} /> },
        { id: 'policy', label: tabs.policy, body: () => <PolicyTab device={device} /> },
        { id: 'uploads', label: tabs.uploads, body: () => <UploadsTab device={device} /> },
        { id: 'token', label: tabs.token, body: () => <TokenTab device={device} /> },
      ]}
    />
  );
}
