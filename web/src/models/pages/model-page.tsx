import { Page } from '../../shared/page';

export function ModelPage() {
  return <Page title="ModelPage">{null}</Page>;
}
