import { Page } from '../../shared/page';

export function SourcesPage() {
  return <Page title="SourcesPage">{null}</Page>;
}
