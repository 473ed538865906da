import { Button, Group, Stack } from '@mantine/core';
import { useMe, useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { text } from '../../text';
import { DropZone } from './drop-zone';
import { startUpload, useUpload } from './running-uploads';
import { SelectionSummary } from './selection-summary';
import { useMemory } from './upload-memory';
import { isOver } from './upload-messages';
import { useSelection } from './use-selection';

/** Adds files to a dataset that is there already. */
export function AddFiles({ datasetId, isSmall = false }: { datasetId: string; isSmall?: boolean }) {
  const tenant = useTenant();
  const me = useMe();
  const missing = useMissing('DATASET_WRITE');
  const upload = useUpload(tenant.code, datasetId);
  const chosen = useSelection(useMemory(tenant.code, datasetId)?.isRootKept);
  if (upload !== null && !isOver(upload.progress.phase)) return null;
  const start = () => {
    startUpload({ tenant: tenant.code, datasetId, person: me.id, mayHold: true }, chosen);
    chosen.clear();
  };
  return (
    <Stack gap="sm">
      <DropZone onFiles={chosen.add} isSmall={isSmall} />
      <SelectionSummary chosen={chosen} />
      {chosen.entries.length > 0 && (
        <Group>
          <Explained reason={missing}>
            <Button onClick={start}>{text.datasets.upload.start}</Button>
          </Explained>
        </Group>
      )}
    </Stack>
  );
}
