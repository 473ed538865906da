import { Page } from '../../shared/page';

export function TrainingsPage() {
  return <Page title="TrainingsPage">{null}</Page>;
}
