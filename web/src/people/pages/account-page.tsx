import { getRouteApi } from '@tanstack/react-router';
import { useMe } from '../../app/session';
import { Page } from '../../shared/page';
import { PageTabs, type Tab } from '../../shared/tabs';
import { text } from '../../text';
import { PasswordTab } from '../account/password-tab';
import { PreferencesTab } from '../account/preferences-tab';
import { ProfileTab } from '../account/profile-tab';
import { SessionsTab } from '../account/sessions-tab';
import { TokensTab } from '../account/tokens-tab';

const words = text.people.account;
const route = getRouteApi('/signed-in/account');

const TABS: readonly Tab[] = [
  { id: 'profile', label: words.tabs.profile, body: () => <ProfileTab /> },
  { id: 'password', label: words.tabs.password, body: () => <PasswordTab /> },
  { id: 'sessions', label: words.tabs.sessions, body: () => <SessionsTab /> },
  { id: 'tokens', label: words.tabs.tokens, body: () => <TokensTab /> },
  { id: 'notifications', label: words.tabs.notifications, body: () => <PreferencesTab /> },
];

const PATHS: Readonly<Record<string, string>> = {
  sessions: '/users/me/sessions',
  tokens: '/users/me/tokens',
  notifications: '/api/v1/notifications/preferences',
};

export function AccountPage() {
  const me = useMe();
  const { tab } = route.useSearch();
  return (
    <Page title={words.title} description={me.email} curl={{ path: PATHS[tab ?? ''] ?? '/users/me' }}>
      <PageTabs tabs={TABS} />
    </Page>
  );
}
