import { Page } from '../../shared/page';

export function ModelsPage() {
  return <Page title="ModelsPage">{null}</Page>;
}
