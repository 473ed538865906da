import { Box, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { useFileDrags } from '../../shared/file-drags';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { ReadingStatus } from './reading-status';
import { useUpload } from './running-uploads';
import { StartUpload } from './start-upload';
import { useOtherTab } from './use-other-tab';
import { useMemory } from './upload-memory';
import { isOver } from './upload-messages';
import { useReading } from './use-reading';
import { useSelection } from './use-selection';

/** Takes what is dropped anywhere on the page of a dataset. */
export function PageDrop({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const missing = useMissing('DATASET_WRITE');
  const upload = useUpload(tenant.code, dataset.id);
  const chosen = useSelection(useMemory(tenant.code, dataset.id)?.isRootKept);
  const reading = useReading(chosen.add);
  const [isDragged, setDragged] = useState(false);
  const isOtherTab = useOtherTab(tenant.code, dataset.id);
  const takes = missing === null && !isOtherTab && (upload === null || isOver(upload.progress.phase));
  useFileDrags(document, {
    onOver: (event) => {
      if (!takes) return;
      event.preventDefault();
      setDragged(true);
    },
    onLeave: () => setDragged(false),
    onDrop: (event) => {
      setDragged(false);
      // A smaller place has taken it.
      if (!takes || event.defaultPrevented || event.dataTransfer === null) return;
      event.preventDefault();
      reading.drop(event.dataTransfer);
    },
  });
  const isBusy = reading.files !== null || reading.failures.length > 0 || reading.error !== null;
  return (
    <>
      {isDragged && takes && <Veil name={dataset.name} />}
      {(isBusy || chosen.entries.length > 0) && (
        <Stack gap="sm">
          <ReadingStatus reading={reading} />
          <StartUpload datasetId={dataset.id} chosen={chosen} />
        </Stack>
      )}
    </>
  );
}

/** Says where a drop goes, and lies in nobody's way. */
function Veil({ name }: { name: string }) {
  return (
    <Box
      pos="fixed"
      inset={0}
      style={{
        border: '3px dashed var(--mantine-primary-color-filled)',
        pointerEvents: 'none',
        zIndex: 400,
      }}
    >
      <Text
        pos="absolute"
        bottom={24}
        left="50%"
        px="md"
        py="sm"
        fw={600}
        maw="90%"
        truncate
        bg="var(--ground)"
        style={{ border: '1px solid var(--line)', borderRadius: 6, transform: 'translateX(-50%)' }}
      >
        {text.datasets.drop.addTo(name)}
      </Text>
    </Box>
  );
}
