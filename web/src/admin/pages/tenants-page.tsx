import { getRouteApi } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import type { ListSearch } from '../../shared/list/column';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { text } from '../../text';
import { ForAdministrators } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { DeletionsTab } from '../tenants/deletions-tab';
import { TenantsTab } from '../tenants/tenants-tab';

const words = text.admin.tenants;
const route = getRouteApi('/signed-in/t/$tenant/admin/tenants');
const PATH = '/api/v1/settings/tenants';

export function TenantsPage() {
  const { code } = useTenant();
  const { tab, ...search } = route.useSearch();
  const list = search as ListSearch;
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      description={words.intro}
      curl={{ path: tab === 'deletions' ? `${PATH}/deletions` : PATH }}
    >
      <ForAdministrators>
        {() => (
          <PageTabs
            tabs={[
              { id: 'tenants', label: words.tabs.tenants, body: () => <TenantsTab search={list} /> },
              { id: 'deletions', label: words.tabs.deletions, body: () => <DeletionsTab search={list} /> },
            ]}
          />
        )}
      </ForAdministrators>
    </Page>
  );
}
