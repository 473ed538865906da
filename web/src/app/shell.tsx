import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useNoStrayFiles } from '../shared/file-drags';
import { dialogFrame, lazyPart } from '../shared/lazy-part';
import { Loading } from '../shared/loading';
import { text } from '../text';
import { AccountMenu } from './account-menu';
import { AREAS, areaOf } from './areas';
import { Arrival } from './arrival';
import { Bell } from './bell';
import { lastTenant } from './preferences';
import { tenantsQuery } from './session';
import { useSessionOver } from './session-end';
import { SearchButton } from './search-button';
import { Shortcuts } from './shortcuts';
import { TenantSwitch } from './tenant-switch';
import { UploadChip } from './upload-chip';

const SignInAgain = lazyPart(async () => (await import('./sign-in-again')).SignInAgain, {
  waiting: null,
  frame: dialogFrame,
});

/** The frame around every page: rail, header, and the page itself. */
export function Shell() {
  const [isOpen, menu] = useDisclosure(false);
  const tenant = useShownTenant();
  const isSessionOver = useSessionOver();
  useNoStrayFiles();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 184, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
      transitionDuration={120}
    >
      <a href="#main" className="skip-link">
        {text.frame.skip}
      </a>
      <AppShell.Header px="sm">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={text.frame.menu}
              aria-expanded={isOpen}
            />
            <Text component={Link} to="/" fw={650} visibleFrom="xs" c="inherit" td="none">
              {text.frame.product}
            </Text>
            <TenantSwitch shown={tenant} />
          </Group>
          <Group gap={4} wrap="nowrap">
            <UploadChip />
            <SearchButton tenant={tenant} />
            <Bell />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={4} aria-label={text.frame.menu}>
        {tenant !== null && <Rail tenant={tenant} onGo={menu.close} />}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <Arrival />
      <Shortcuts tenant={tenant} />
      {isSessionOver && <SignInAgain />}
      <Notifications position="bottom-right" limit={4} />
    </AppShell>
  );
}

const EXACT = { exact: true, includeSearch: false };

function Rail({ tenant, onGo }: { tenant: string; onGo: () => void }) {
  const { pathname } = useLocation();
  const here = areaOf(pathname, tenant);
  return AREAS.map((area) => {
    const isHere = area === here;
    return (
      <NavLink
        key={area.key}
        label={area.label}
        leftSection={<area.icon size={17} stroke={1.7} aria-hidden />}
        active={isHere}
        onClick={onGo}
        style={{ borderRadius: 6 }}
        // By itself a link is marked wherever its address begins the page's, as the start page's does on every page.
        renderRoot={(props: object) => (
          <Link
            to={area.to}
            params={{ tenant }}
            {...props}
            activeOptions={EXACT}
            aria-current={isHere ? 'page' : undefined}
          />
        )}
      />
    );
  });
}

/** Tenant of the address; on pages of none the one that was open last, or the first of the caller's. */
function useShownTenant(): string | null {
  const { tenant } = useParams({ strict: false });
  const { data } = useQuery(tenantsQuery);
  if (tenant !== undefined) return tenant;
  const codes = data?.items.map((entry) => entry.code) ?? [];
  const last = lastTenant();
  return last !== null && codes.includes(last) ? last : (codes[0] ?? null);
}
