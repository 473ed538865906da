import { describeWorkloadRunner } from './workload-runner.contract.js';
import { ProcessKit } from './process-kit.js';

describeWorkloadRunner('processes of this machine', async () => {
  const kit = new ProcessKit();
  return {
    runner: kit.running(),
    spec: (program, change) => kit.spec({ entrypoint: `${program}.py`, ...change }),
    close: () => kit.close(),
  };
});
