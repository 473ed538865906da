import { Page } from '../../shared/page';

export function ForgotPasswordPage() {
  return <Page title="ForgotPasswordPage">{null}</Page>;
}
