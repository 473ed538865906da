import { Page } from '../../shared/page';

export function TenantsPage() {
  return <Page title="TenantsPage">{null}</Page>;
}
