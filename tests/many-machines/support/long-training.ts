import type { PlatformClient } from '../../setup/platform-client.js';

const EXPERIMENTS = '/api/v1/training/experiments';

/** Starts a training and waits until it runs. @returns its id */
export async function longTraining(
  client: PlatformClient,
  dataset: string,
  hyperparameters: Readonly<Record<string, number>>,
): Promise<string> {
  const lines = Object.entries(hyperparameters).map(([name, value]) => `${name}: ${value}\n`);
  const { body } = await client.expect(202, 'POST', EXPERIMENTS, {
    json: {
      ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: dataset, gpu: 0 },
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 3, stratify: true },
      hyperparameters: lines.join(''),
    },
  });
  await client.until(`${EXPERIMENTS}/${body.id}`, ({ status }) => status === 'RUNNING', 90_000);
  return body.id as string;
}
