import { Page } from '../../shared/page';

export function SourcePage() {
  return <Page title="SourcePage">{null}</Page>;
}
