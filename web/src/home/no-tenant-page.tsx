import { Page } from '../shared/page';
import { text } from '../text';

/** For people who have an account and no role yet. */
export function NoTenantPage() {
  return <Page title={text.frame.product}>{text.frame.noTenant}</Page>;
}
