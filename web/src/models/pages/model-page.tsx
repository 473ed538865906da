import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { MenuAction } from '../../shared/menu-action';
import { MoreMenu } from '../../shared/more-menu';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { ModelComments } from '../comments/model-comments';
import { ModelDevices } from '../devices/model-devices';
import { ModelLineage } from '../lineage/model-lineage';
import { VersionTable } from '../list/version-table';
import { Distribution } from '../performance/distribution';
import { Performance } from '../performance/performance';
import { PromoteButton } from '../promotion/promote-button';
import { type Model, type ModelVersion, modelQuery } from '../queries';
import { versionsQuery } from '../../shared/model-versions';
import { HeldStages } from '../stages/held-stages';
import { StageHistory } from '../stages/stage-history';

const route = getRouteApi('/signed-in/t/$tenant/models/$name');
const words = text.models.model;

/** One model: what is in Production, its versions, and how they came and went. */
export function ModelPage() {
  const tenant = useTenant();
  const { name } = route.useParams();
  const row = useQuery(modelQuery(tenant, name));
  // Answers 404 where there is no such model; the row is one of a list.
  const versions = useQuery(versionsQuery(tenant, name));
  const model = row.data ?? null;
  const latest = versions.data?.items.find(({ version }) => version === model?.latest_version);
  return (
    <Page
      title={name}
      crumbs={[{ label: text.models.title, to: '/t/$tenant/models', params: { tenant: tenant.code } }]}
      curl={{ path: `/api/v1/models/${encodeURIComponent(name)}/versions` }}
      actions={model !== null && <Actions model={model} latest={latest} />}
    >
      <Reading query={versions.error === null && versions.data !== undefined ? row : versions} />
      {row.data === null && <Text>{words.noVersions}</Text>}
      {model !== null && versions.data !== undefined && (
        <Stack gap="md">
          <HeldStages model={model} versions={versions.data.items} />
          <Tabs model={model} />
        </Stack>
      )}
    </Page>
  );
}

function Tabs({ model }: { model: Model }) {
  const { page } = route.useSearch();
  const { name } = model;
  return (
    <PageTabs
      tabs={[
        {
          id: 'versions',
          label: words.tabs.versions,
          body: () => <VersionTable name={name} page={page ?? 1} />,
        },
        { id: 'stages', label: words.tabs.stages, body: () => <StageHistory name={name} /> },
        { id: 'performance', label: words.tabs.performance, body: () => <Performance name={name} /> },
        { id: 'distribution', label: words.tabs.distribution, body: () => <Distribution name={name} /> },
        { id: 'devices', label: words.tabs.devices, body: () => <ModelDevices name={name} /> },
        { id: 'lineage', label: words.tabs.lineage, body: () => <ModelLineage model={model} /> },
        { id: 'comments', label: words.tabs.comments, body: () => <ModelComments model={model} /> },
      ]}
    />
  );
}

interface ActionsProps {
  readonly model: Model;
  /** The newest version; undefined while it is on its way. */
  readonly latest: ModelVersion | undefined;
}

function Actions({ model: { name }, latest }: ActionsProps) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, ask] = useDisclosure(false);
  const missing = useMissing('MODEL_REGISTER');
  const remove = async () => {
    await body(tenant.api.DELETE('/api/v1/models/{name}', { params: { path: { name } } }));
    await navigate({ to: '/t/$tenant/models', params: { tenant: tenant.code } });
    client.removeQueries({ queryKey: [tenant.code, 'models', name] });
    await client.invalidateQueries({ queryKey: [tenant.code, 'models'] });
    notifications.show({ message: words.deleted(name) });
  };
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props: object) => (
          <Link to="/t/$tenant/models/$name/compare" params={{ tenant: tenant.code, name }} {...props} />
        )}
      >
        {words.compare}
      </Button>
      {latest && (
        <PromoteButton
          version={latest}
          label={text.models.compare.promote(latest.version)}
          variant="filled"
        />
      )}
      <MoreMenu>
        <MenuAction reason={missing} c="var(--state-failed)" onClick={ask.open}>
          {words.delete}
        </MenuAction>
      </MoreMenu>
      <ConfirmByName
        opened={isAsked}
        onClose={ask.close}
        title={words.deleteTitle(name)}
        name={name}
        action={words.delete}
        run={remove}
      >
        {words.deleteBody}
      </ConfirmByName>
    </>
  );
}
