import { Page } from '../../shared/page';

export function MembersPage() {
  return <Page title="MembersPage">{null}</Page>;
}
