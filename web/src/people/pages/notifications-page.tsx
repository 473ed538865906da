import { Page } from '../../shared/page';

export function NotificationsPage() {
  return <Page title="NotificationsPage">{null}</Page>;
}
