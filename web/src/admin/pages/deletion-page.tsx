import { Page } from '../../shared/page';

export function DeletionPage() {
  return <Page title="DeletionPage">{null}</Page>;
}
