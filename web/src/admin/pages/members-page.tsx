import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { EmptyState } from '../../shared/empty-state';
import { listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { adminCrumbs } from '../crumbs';
import { AddMember } from '../members/add-member';
import { RemoveMembers } from '../members/remove-members';
import { memberColumns } from '../members/member-columns';
import type { User } from '../queries';
import { userCalls, useRefreshedUsers } from '../users/user-calls';
import { useAskedDialog } from '../../shared/use-asked-dialog';

const words = text.admin.members;
const route = getRouteApi('/signed-in/t/$tenant/admin/members');
const PATH = '/api/v1/system/users';

export function MembersPage() {
  const { code } = useTenant();
  const search = route.useSearch();
  const reason = useNotAdministrator();
  const refresh = useRefreshedUsers();
  const [isAdding, setAdding] = useState(false);
  useAskedDialog(() => setAdding(true));
  const [renewal, setRenewal] = useState(0);
  const [removed, setRemoved] = useState<User | null>(null);
  const columns = useMemo(() => memberColumns(code, setRemoved), [code]);
  const query = { ...listQuery(search), tenant: code };
  const add = (
    <Explained reason={reason}>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
        {words.add}
      </Button>
    </Explained>
  );
  const invite = {
    method: 'POST',
    path: `${PATH}/invite`,
    body: { email: 'ann@example.com', tenant_code: code, role: 'ML_ENGINEER' },
  };
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      description={words.intro(code)}
      curl={{ path: PATH, query }}
      actions={add}
    >
      <ForAdministrators>
        {() => (
          <List<User>
            label={words.label}
            search={search}
            queryKey={['admin', 'users', query]}
            queryFn={({ signal }) => body(api.GET(PATH, { params: { query: query as never }, signal }))}
            columns={columns}
            keyOf={({ id }) => id}
            nameOf={({ email }) => email}
            defaultSort={{ by: 'email', order: 'asc' }}
            renewal={renewal}
            bulk={(rows, done) => <RemoveMembers tenant={code} rows={rows} done={done} />}
            empty={<EmptyState sentence={words.empty} action={add} call={invite} />}
          />
        )}
      </ForAdministrators>
      {isAdding && (
        <AddMember
          tenant={code}
          onClose={() => setAdding(false)}
          onAdded={() => setRenewal((added) => added + 1)}
        />
      )}
      <ConfirmByName
        opened={removed !== null}
        onClose={() => setRemoved(null)}
        title={words.removeTitle(removed?.email ?? '', code)}
        name={removed?.email ?? ''}
        action={words.remove}
        run={async () => {
          if (removed !== null) await userCalls.takeRole(removed.id, code);
          await refresh();
        }}
      >
        {words.removeHint}
      </ConfirmByName>
    </Page>
  );
}
