import { Page } from '../../shared/page';

export function ImagesPage() {
  return <Page title="ImagesPage">{null}</Page>;
}
