import { Page } from '../../shared/page';

export function ComparePage() {
  return <Page title="ComparePage">{null}</Page>;
}
