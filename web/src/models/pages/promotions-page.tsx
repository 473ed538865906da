import { Page } from '../../shared/page';

export function PromotionsPage() {
  return <Page title="PromotionsPage">{null}</Page>;
}
