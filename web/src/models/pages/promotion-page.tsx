import { Page } from '../../shared/page';

export function PromotionPage() {
  return <Page title="PromotionPage">{null}</Page>;
}
