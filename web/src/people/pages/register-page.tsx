import { Page } from '../../shared/page';

export function RegisterPage() {
  return <Page title="RegisterPage">{null}</Page>;
}
