import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { tenantsQuery, useMe } from '../app/session';
import { EmptyState } from '../shared/empty-state';
import { Page } from '../shared/page';
import { text } from '../text';

const TENANTS = { path: '/api/v1/tenants' };

/** For people who have an account and no role yet. */
export function NoTenantPage() {
  const { email } = useMe();
  const client = useQueryClient();
  const router = useRouter();
  const lookAgain = async () => {
    await client.refetchQueries(tenantsQuery);
    await router.invalidate();
  };
  return (
    <Page title={text.frame.product} curl={TENANTS}>
      <EmptyState
        sentence={`${text.frame.noTenant} ${text.frame.noTenantWho(email)}`}
        action={<Button onClick={() => void lookAgain()}>{text.frame.lookAgain}</Button>}
        call={TENANTS}
      />
    </Page>
  );
}
