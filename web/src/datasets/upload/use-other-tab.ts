import { useEffect, useState } from 'react';
import { lockName, useUpload } from './running-uploads';
import { isHeld, untilFree } from './tab-lock';
import { useMemory } from './upload-memory';
import { isOver } from './upload-messages';

/** Whether another tab of this browser uploads into the dataset. */
export function useOtherTab(tenant: string, datasetId: string): boolean {
  const upload = useUpload(tenant, datasetId);
  const memory = useMemory(tenant, datasetId);
  const [isBusy, setBusy] = useState(false);
  const isOwn = upload !== null && !isOver(upload.progress.phase);
  const name = lockName(tenant, datasetId);
  // What the other tab remembers is the sign that it may have begun.
  const seen = isBusy ? null : memory?.at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isOwn) return;
    const ending = new AbortController();
    const heed = (busy: boolean) => {
      if (!ending.signal.aborted) setBusy(busy);
    };
    if (isBusy)
      untilFree(name, ending.signal).then(
        () => heed(false),
        () => undefined,
      );
    else void isHeld(name).then(heed);
    return () => ending.abort();
  }, [name, isOwn, isBusy, seen]);
  return isBusy && !isOwn;
}
