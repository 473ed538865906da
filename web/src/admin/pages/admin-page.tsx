import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import {
  IconBuilding,
  IconClipboardList,
  IconHeartbeat,
  IconLock,
  IconTrash,
  IconUserCog,
  IconUsers,
} from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useMe, useTenant } from '../../app/session';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { ForAdministrators, useNotAdministrator } from '../administrators';
import { RolesTable } from '../roles-table';

const words = text.admin.hub;

interface Entry {
  readonly to: LinkProps['to'];
  readonly search?: object;
  readonly title: string;
  readonly hint: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
}

const OF_TENANT: readonly Entry[] = [
  { to: '/t/$tenant/admin/members', title: words.members, hint: words.membersHint, icon: IconUsers },
  { to: '/t/$tenant/admin/audit', title: words.audit, hint: words.auditHint, icon: IconClipboardList },
];
const OF_PLATFORM: readonly Entry[] = [
  { to: '/t/$tenant/admin/health', title: words.health, hint: words.healthHint, icon: IconHeartbeat },
  { to: '/t/$tenant/admin/users', title: words.users, hint: words.usersHint, icon: IconUserCog },
  { to: '/t/$tenant/admin/tenants', title: words.tenants, hint: words.tenantsHint, icon: IconBuilding },
  {
    to: '/t/$tenant/admin/tenants',
    search: { tab: 'deletions' },
    title: words.deletions,
    hint: words.deletionsHint,
    icon: IconTrash,
  },
];

export function AdminPage() {
  const tenant = useTenant();
  const me = useMe();
  return (
    <Page title={text.admin.title} description={words.intro} curl={{ path: '/users/me' }}>
      <Stack gap="lg">
        <ForAdministrators>{() => null}</ForAdministrators>
        <Section title={words.ofTenant(tenant.code)} entries={OF_TENANT} />
        <Section title={words.ofPlatform} entries={OF_PLATFORM} />
        <Stack gap="sm">
          <Title order={2} size="h5">
            {words.mine}
          </Title>
          <Text>{me.is_superuser ? words.mineGlobal : words.mineRole(tenant.role ?? '–', tenant.code)}</Text>
          <RolesTable own={me.is_superuser ? null : tenant.role} />
        </Stack>
      </Stack>
    </Page>
  );
}

function Section({ title, entries }: { title: string; entries: readonly Entry[] }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {entries.map((entry) => (
          <Card key={entry.title} entry={entry} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** A place of administration; for those who may not go there it has a lock, and the page says why. */
function Card({ entry }: { entry: Entry }) {
  const { code } = useTenant();
  const reason = useNotAdministrator();
  const Icon = reason === null ? entry.icon : IconLock;
  return (
    <Paper withBorder p="md">
      <Stack gap={4}>
        <Group gap="sm" wrap="nowrap">
          <Icon size={18} aria-hidden />
          {reason === null ? (
            <Anchor
              fw={600}
              renderRoot={(props: object) => (
                <Link
                  to={entry.to}
                  params={{ tenant: code } as never}
                  search={(entry.search ?? {}) as never}
                  {...props}
                />
              )}
            >
              {entry.title}
            </Anchor>
          ) : (
            <Text fw={600}>{entry.title}</Text>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {entry.hint}
        </Text>
      </Stack>
    </Paper>
  );
}
