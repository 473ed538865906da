import { Uploader } from './uploader';
import type { Command, Report } from './upload-messages';

const scope = self as unknown as {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Command>) => void) | null;
};
let uploader: Uploader | null = null;

scope.onmessage = ({ data }) => {
  if (data.kind === 'start') {
    uploader = new Uploader(data.job, {
      fetch: (input, init) => fetch(input, init),
      report: (report) => scope.postMessage(report),
      now: () => Date.now(),
    });
    void uploader.start();
  } else if (data.kind === 'more') uploader?.add(data.entries);
  else if (data.kind === 'all') uploader?.close();
  else if (data.kind === 'pause') uploader?.pause();
  else if (data.kind === 'resume') uploader?.goOn();
  else if (data.kind === 'stop') uploader?.stop();
  else void uploader?.retry(data.paths);
};
