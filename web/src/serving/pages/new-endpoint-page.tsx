import { Page } from '../../shared/page';

export function NewEndpointPage() {
  return <Page title="NewEndpointPage">{null}</Page>;
}
