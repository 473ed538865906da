import { Page } from '../../shared/page';

export function UsersPage() {
  return <Page title="UsersPage">{null}</Page>;
}
