import { Page } from '../../shared/page';

export function AuditPage() {
  return <Page title="AuditPage">{null}</Page>;
}
