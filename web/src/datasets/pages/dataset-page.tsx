import { Page } from '../../shared/page';

export function DatasetPage() {
  return <Page title="DatasetPage">{null}</Page>;
}
