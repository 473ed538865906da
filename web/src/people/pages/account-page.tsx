import { Page } from '../../shared/page';

export function AccountPage() {
  return <Page title="AccountPage">{null}</Page>;
}
