import { Alert, Button, Stack, Text } from '@mantine/core';
import { useTenant } from '../../app/session';
import { count } from '../../shared/numbers';
import { text } from '../../text';
import { AddFiles } from './add-files';
import { useUpload } from './running-uploads';
import { useOtherTab } from './use-other-tab';
import { useMemory, writeMemory } from './upload-memory';

const words = text.datasets.upload;

/**
 * After a reload: the browser has let go of the files, so the person drops them again and the upload goes on. An upload that
 * another tab is at was not interrupted.
 */
export function InterruptedNote({ datasetId }: { datasetId: string }) {
  const tenant = useTenant();
  const upload = useUpload(tenant.code, datasetId);
  const memory = useMemory(tenant.code, datasetId);
  const isOtherTab = useOtherTab(tenant.code, datasetId);
  if (upload !== null || memory === null) return null;
  if (isOtherTab)
    return (
      <Alert variant="light" title={words.otherTab(count(memory.filesDone), count(memory.files))}>
        <Text size="md">{words.otherTabHint}</Text>
      </Alert>
    );
  return (
    <Alert
      color="yellow"
      variant="light"
      styles={{ title: { color: 'var(--state-waiting)' } }}
      title={words.interrupted(count(memory.filesDone), count(memory.files))}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="md">{words.again}</Text>
        <AddFiles datasetId={datasetId} isSmall />
        <Button size="compact-sm" variant="default" onClick={() => writeMemory(tenant.code, datasetId, null)}>
          {words.forget}
        </Button>
      </Stack>
    </Alert>
  );
}
