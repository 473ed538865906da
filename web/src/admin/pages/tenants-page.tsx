import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import type { ListSearch } from '../../shared/list/column';
import { Page } from '../../shared/page';
import { PageTabs } from '../../shared/tabs';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { CreateTenant } from '../tenants/create-tenant';
import { DeletionsTab } from '../tenants/deletions-tab';
import { TenantsTab } from '../tenants/tenants-tab';
import { useAskedDialog } from '../../shared/use-asked-dialog';

const words = text.admin.tenants;
const route = getRouteApi('/signed-in/t/$tenant/admin/tenants');
const PATH = '/api/v1/settings/tenants';

export function TenantsPage() {
  const { code } = useTenant();
  const { tab, ...search } = route.useSearch();
  const list = search as ListSearch;
  const reason = useNotAdministrator();
  const [isMaking, setMaking] = useState(false);
  useAskedDialog(() => setMaking(true));
  const [renewal, setRenewal] = useState(0);
  const make = (
    <Explained reason={reason}>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
        {words.create}
      </Button>
    </Explained>
  );
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      description={words.intro}
      actions={make}
      curl={{ path: tab === 'deletions' ? `${PATH}/deletions` : PATH }}
    >
      <ForAdministrators>
        {() => (
          <PageTabs
            tabs={[
              {
                id: 'tenants',
                label: words.tabs.tenants,
                body: () => <TenantsTab search={list} make={make} renewal={renewal} />,
              },
              { id: 'deletions', label: words.tabs.deletions, body: () => <DeletionsTab search={list} /> },
            ]}
          />
        )}
      </ForAdministrators>
      {isMaking && (
        <CreateTenant onClose={() => setMaking(false)} onMade={() => setRenewal((made) => made + 1)} />
      )}
    </Page>
  );
}
