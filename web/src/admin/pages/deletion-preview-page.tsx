import { Page } from '../../shared/page';

export function DeletionPreviewPage() {
  return <Page title="DeletionPreviewPage">{null}</Page>;
}
