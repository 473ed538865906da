import { Page } from '../../shared/page';

export function TrainingPage() {
  return <Page title="TrainingPage">{null}</Page>;
}
