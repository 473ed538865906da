import { Page } from '../../shared/page';

export function EndpointPage() {
  return <Page title="EndpointPage">{null}</Page>;
}
