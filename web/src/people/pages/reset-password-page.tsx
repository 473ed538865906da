import { Page } from '../../shared/page';

export function ResetPasswordPage() {
  return <Page title="ResetPasswordPage">{null}</Page>;
}
