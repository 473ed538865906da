import { Grid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { Comments } from '../comments/comments';
import { Lineage } from '../../shared/lineage/lineage';
import { versionQuery } from '../../shared/model-versions';
import { StageChip } from '../../shared/stage-chip';
import { Devices } from '../version/devices';
import { Files } from '../version/files';
import { Overview } from '../version/overview';
import { VersionActions } from '../version/version-actions';
import { VersionFacts } from '../version/version-facts';

const route = getRouteApi('/signed-in/t/$tenant/models/$name/$version');
const { tabs } = text.models.versionPage;

/** One version of a model: what it is made of, what it can do, and where it goes next. */
export function VersionPage() {
  const tenant = useTenant();
  const { name, version: number } = route.useParams();
  const query = useQuery(versionQuery(tenant, name, Number(number)));
  const { data: version } = query;
  const params = { tenant: tenant.code, name };
  return (
    <Page
      title={`${name} v${number}`}
      crumbs={[
        { label: text.models.title, to: '/t/$tenant/models', params },
        { label: name, to: '/t/$tenant/models/$name', params },
      ]}
      state={version && <StageChip stage={version.stage} />}
      curl={{ path: `/api/v1/models/${encodeURIComponent(name)}/versions/${number}` }}
      actions={version && <VersionActions version={version} />}
    >
      <Reading query={query} />
      {version && (
        <Grid>
          <Grid.Col span={{ base: 12, md: 9 }} order={{ base: 2, md: 1 }}>
            <PageTabs
              tabs={[
                { id: 'overview', label: tabs.overview, body: () => <Overview version={version} /> },
                { id: 'files', label: tabs.files, body: () => <Files version={version} /> },
                { id: 'devices', label: tabs.devices, body: () => <Devices version={version} /> },
                { id: 'lineage', label: tabs.lineage, body: () => <Lineage versions={[version]} /> },
                {
                  id: 'comments',
                  label: tabs.comments,
                  body: () => <Comments name={name} version={version.version} />,
                },
              ]}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 3 }} order={{ base: 1, md: 2 }}>
            <VersionFacts version={version} />
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}
