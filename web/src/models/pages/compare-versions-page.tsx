import { Page } from '../../shared/page';

export function CompareVersionsPage() {
  return <Page title="CompareVersionsPage">{null}</Page>;
}
