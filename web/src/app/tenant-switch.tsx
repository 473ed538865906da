import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { text } from '../text';
import { areaOf } from './areas';
import { tenantsQuery } from './session';

/** Which tenant the pages are about; the choice stands in the address, and leads to the same area of the other tenant. */
export function TenantSwitch({ shown }: { shown: string | null }) {
  const { data } = useQuery(tenantsQuery);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const area = shown === null ? undefined : areaOf(pathname, shown);
  return (
    <Select
      size="xs"
      w={170}
      miw={90}
      searchable={(data?.items.length ?? 0) > 8}
      aria-label={text.frame.tenant}
      placeholder={text.frame.tenant}
      allowDeselect={false}
      data={data?.items.map((tenant) => ({ value: tenant.code, label: tenant.name })) ?? []}
      value={shown}
      onChange={(tenant) => {
        if (tenant !== null) void navigate({ to: area?.to ?? '/t/$tenant', params: { tenant } });
      }}
    />
  );
}
