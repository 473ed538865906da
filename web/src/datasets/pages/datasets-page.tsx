import { Page } from '../../shared/page';

export function DatasetsPage() {
  return <Page title="DatasetsPage">{null}</Page>;
}
