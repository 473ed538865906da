import { Page } from '../../shared/page';

export function AdminPage() {
  return <Page title="AdminPage">{null}</Page>;
}
