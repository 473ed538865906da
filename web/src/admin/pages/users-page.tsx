import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api, body } from '../../api/client';
import { useTenant } from '../../app/session';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { EmptyState } from '../../shared/empty-state';
import { listQuery } from '../../shared/list/column';
import { List } from '../../shared/list/list-page';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { ForAdministrators } from '../administrators';
import { adminCrumbs } from '../crumbs';
import type { User } from '../queries';
import { EditRoles } from '../users/edit-roles';
import { userCalls, useRefreshedUsers } from '../users/user-calls';
import { userColumns } from '../users/user-columns';
import type { Ask, Grave } from '../users/user-menu';

const words = text.admin.users;
const route = getRouteApi('/signed-in/t/$tenant/admin/users');
const PATH = '/api/v1/system/users';

export function UsersPage() {
  const { code } = useTenant();
  const search = route.useSearch();
  const [ask, setAsk] = useState<Ask | null>(null);
  const columns = useMemo(() => userColumns(setAsk), []);
  const query = listQuery(search);
  return (
    <Page
      title={words.title}
      crumbs={adminCrumbs(code)}
      description={words.intro}
      curl={{ path: PATH, query }}
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
            defaultSort={{ by: 'email', order: 'asc' }}
            empty={<EmptyState sentence={words.empty} action={<ToMembers />} call={{ path: PATH }} />}
          />
        )}
      </ForAdministrators>
      {ask?.what === 'roles' && <EditRoles user={ask.user} onClose={() => setAsk(null)} />}
      {ask !== null && ask.what !== 'roles' && (
        <GraveChange what={ask.what} user={ask.user} onClose={() => setAsk(null)} />
      )}
    </Page>
  );
}

const TITLES: Readonly<Record<Grave, (email: string) => string>> = {
  makeAdmin: words.makeAdminTitle,
  takeAdmin: words.takeAdminTitle,
  disable: words.confirmDisable,
  remove: words.removeTitle,
};
const HINTS: Readonly<Record<Grave, string>> = {
  makeAdmin: words.makeAdminHint,
  takeAdmin: words.takeAdminHint,
  disable: words.disableHint,
  remove: words.removeHint,
};

function GraveChange({ what, user, onClose }: { what: Grave; user: User; onClose: () => void }) {
  const refresh = useRefreshedUsers();
  return (
    <ConfirmByName
      opened
      onClose={onClose}
      title={TITLES[what](user.email)}
      name={user.email}
      action={words[what]}
      run={async () => {
        await userCalls[what](user.id);
        await refresh();
      }}
    >
      {HINTS[what]}
    </ConfirmByName>
  );
}

/** Accounts are made where people get their roles. */
function ToMembers() {
  const { code } = useTenant();
  return (
    <Button
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/admin/members" params={{ tenant: code }} {...props} />
      )}
    >
      {text.admin.members.add}
    </Button>
  );
}
