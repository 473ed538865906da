import { Page } from '../../shared/page';

export function VerifyPage() {
  return <Page title="VerifyPage">{null}</Page>;
}
