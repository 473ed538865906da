import { isOver, type Progress } from './upload-messages';

export interface UploadOf {
  readonly tenant: string;
  readonly datasetId: string;
  readonly progress: Pick<Progress, 'phase' | 'bytes' | 'bytesDone' | 'failed'>;
}

/** All uploads as one: how far they are, and which of them somebody should look at. */
interface Summary {
  readonly tenant: string;
  readonly datasetId: string;
  readonly percent: number;
  readonly isFailed: boolean;
}

/** @returns null when nothing is sent and nothing has failed */
export function summaryOf(uploads: readonly UploadOf[]): Summary | null {
  const shown = uploads.filter(({ progress }) => !isOver(progress.phase) || progress.phase === 'failed');
  const failed = shown.find(({ progress }) => progress.phase === 'failed' || progress.failed > 0);
  const first = failed ?? shown[0];
  if (first === undefined) return null;
  const [done, all] = shown.reduce(
    ([some, sum], { progress }) => [some + progress.bytesDone, sum + progress.bytes],
    [0, 0],
  );
  return {
    tenant: first.tenant,
    datasetId: first.datasetId,
    percent: all === 0 ? 0 : Math.floor((done / all) * 100),
    isFailed: failed !== undefined,
  };
}
