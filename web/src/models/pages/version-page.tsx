import { Page } from '../../shared/page';

export function VersionPage() {
  return <Page title="VersionPage">{null}</Page>;
}
