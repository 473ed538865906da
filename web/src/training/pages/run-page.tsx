import { Page } from '../../shared/page';

export function RunPage() {
  return <Page title="RunPage">{null}</Page>;
}
