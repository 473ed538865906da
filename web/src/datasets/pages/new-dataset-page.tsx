import { Page } from '../../shared/page';

export function NewDatasetPage() {
  return <Page title="NewDatasetPage">{null}</Page>;
}
