import { Stack } from '@mantine/core';
import { useTenant } from '../../app/session';
import { DropZone } from './drop-zone';
import { useUpload } from './running-uploads';
import { StartUpload } from './start-upload';
import { useOtherTab } from './use-other-tab';
import { useMemory } from './upload-memory';
import { isOver } from './upload-messages';
import { useSelection } from './use-selection';

/** Adds files to a dataset that is there already. */
export function AddFiles({ datasetId, isSmall = false }: { datasetId: string; isSmall?: boolean }) {
  const tenant = useTenant();
  const upload = useUpload(tenant.code, datasetId);
  const chosen = useSelection(useMemory(tenant.code, datasetId)?.isRootKept);
  const isOtherTab = useOtherTab(tenant.code, datasetId);
  if (isOtherTab || (upload !== null && !isOver(upload.progress.phase))) return null;
  return (
    <Stack gap="sm">
      <DropZone onFiles={chosen.add} isSmall={isSmall} />
      <StartUpload datasetId={datasetId} chosen={chosen} />
    </Stack>
  );
}
