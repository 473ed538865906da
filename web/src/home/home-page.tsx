import { Page } from '../shared/page';

export function HomePage() {
  return <Page title="HomePage">{null}</Page>;
}
