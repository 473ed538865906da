import { Button, Group } from '@mantine/core';
import { useMe, useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { text } from '../../text';
import { startUpload } from './running-uploads';
import { SelectionSummary } from './selection-summary';
import type { Chosen } from './use-selection';

/** What was chosen for a dataset that is there already, and the button that sends it. */
export function StartUpload({ datasetId, chosen }: { datasetId: string; chosen: Chosen }) {
  const tenant = useTenant();
  const me = useMe();
  const missing = useMissing('DATASET_WRITE');
  if (chosen.entries.length === 0) return null;
  const start = () => {
    startUpload({ tenant: tenant.code, datasetId, person: me.id, mayHold: true }, chosen);
    chosen.clear();
  };
  return (
    <>
      <SelectionSummary chosen={chosen} />
      <Group>
        <Explained reason={missing}>
          <Button onClick={start}>{text.datasets.upload.start}</Button>
        </Explained>
      </Group>
    </>
  );
}
