import { Page } from '../../shared/page';

export function EndpointsPage() {
  return <Page title="EndpointsPage">{null}</Page>;
}
