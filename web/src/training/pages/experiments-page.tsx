import { Page } from '../../shared/page';

export function ExperimentsPage() {
  return <Page title="ExperimentsPage">{null}</Page>;
}
