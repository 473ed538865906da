import { Page } from '../../shared/page';

export function HealthPage() {
  return <Page title="HealthPage">{null}</Page>;
}
