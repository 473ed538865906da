import { Page } from '../../shared/page';

export function WizardPage() {
  return <Page title="WizardPage">{null}</Page>;
}
