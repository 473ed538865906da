import { Button, Group, Paper, Progress as Bar, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTenant } from '../../app/session';
import { bytes, count } from '../../shared/numbers';
import { type Look, StateChip } from '../../shared/state-chip';
import { duration } from '../../shared/spans';
import { useNow } from '../../shared/time';
import { useWorkflowFact } from '../../shared/temporal';
import { text } from '../../text';
import { FailureList } from './failure-list';
import { useMemory } from './upload-memory';
import { closeUpload, controlUpload, type Upload, useUpload } from './running-uploads';
import { type Break, isOver, type Phase, type Progress } from './upload-messages';

const words = text.datasets.upload;
const FRESH_MS = 4_000;
const LOOKS: Readonly<Record<Phase, Look>> = {
  listing: 'running',
  sending: 'running',
  assembling: 'running',
  paused: 'waiting',
  waiting: 'waiting',
  done: 'succeeded',
  failed: 'degraded',
  stopped: 'stopped',
};

/** The upload of this tab into a dataset: how far, how fast, how long, what failed. */
export function UploadPanel({ datasetId }: { datasetId: string }) {
  const tenant = useTenant();
  const upload = useUpload(tenant.code, datasetId);
  useFreshDataset(tenant.code, datasetId, upload?.progress ?? null);
  if (upload === null) return null;
  const { progress, failures } = upload;
  const retry = (paths: readonly string[] | null) =>
    controlUpload(tenant.code, datasetId, { kind: 'retry', paths });
  return (
    <Paper withBorder p="md" component="section" aria-label={words.title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <Text fw={600}>{words.title}</Text>
            <StateChip state={stateOf(progress)} look={LOOKS[progress.phase]} />
          </Group>
          <Controls tenant={tenant.code} datasetId={datasetId} upload={upload} />
        </Group>
        <Bar
          value={shareOf(progress) * 100}
          color={progress.phase === 'failed' ? 'orange' : undefined}
          size="md"
          aria-label={words.title}
        />
        <Numbers progress={progress} />
        <Waiting progress={progress} />
        <Sessions tenant={tenant.code} datasetId={datasetId} />
        {!isOver(progress.phase) && <Now progress={progress} />}
        {progress.broken !== null && <BreakNote broken={progress.broken} onGoOn={() => retry([])} />}
        {failures.length > 0 && (
          <FailureList failures={failures} onRetry={progress.phase === 'failed' ? retry : undefined} />
        )}
        {!isOver(progress.phase) && (
          <Text size="xs" c="dimmed">
            {words.stay}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** A wait is named after what is waited for. */
const stateOf = ({ phase, wait }: Progress): string =>
  phase === 'waiting' && wait !== null ? words.waits[wait.reason] : words.phases[phase];

function BreakNote({ broken: { files, message }, onGoOn }: { broken: Break; onGoOn: () => void }) {
  return (
    <Group gap="sm" role="alert">
      <Text size="sm" c="var(--state-failed)">
        {words.broken(files, message)}
      </Text>
      <Button size="compact-xs" variant="default" onClick={onGoOn}>
        {words.resume}
      </Button>
    </Group>
  );
}

/** Reads the dataset again now and then while files come, and once they all have. */
function useFreshDataset(tenant: string, datasetId: string, progress: Progress | null): void {
  const client = useQueryClient();
  const isDone = progress !== null && isOver(progress.phase);
  const isOn = progress !== null;
  useEffect(() => {
    if (!isOn) return;
    const read = () =>
      void client.invalidateQueries({ queryKey: [tenant, 'datasets', datasetId], exact: true });
    if (isDone) return read();
    const timer = setInterval(read, FRESH_MS);
    return () => clearInterval(timer);
  }, [isOn, isDone, client, tenant, datasetId]);
}

const shareOf = ({ bytes: all, bytesDone, files, filesDone }: Progress): number =>
  all > 0 ? bytesDone / all : files > 0 ? filesDone / files : 1;

function Controls({ tenant, datasetId, upload }: { tenant: string; datasetId: string; upload: Upload }) {
  const { phase } = upload.progress;
  const button = (label: string, onClick: () => void) => (
    <Button size="compact-sm" variant="default" onClick={onClick}>
      {label}
    </Button>
  );
  if (isOver(phase)) return button(words.close, () => closeUpload(tenant, datasetId));
  return (
    <Group gap="sm">
      {phase === 'paused'
        ? button(words.resume, () => controlUpload(tenant, datasetId, { kind: 'resume' }))
        : button(words.pause, () => controlUpload(tenant, datasetId, { kind: 'pause' }))}
      {button(words.cancel, () => controlUpload(tenant, datasetId, { kind: 'stop' }))}
    </Group>
  );
}

function Numbers({ progress }: { progress: Progress }) {
  const { rate, secondsLeft, skipped, unpacked } = progress;
  return (
    <Group gap="md" style={{ rowGap: 2 }}>
      <Text size="sm">{words.counted(count(progress.filesDone), count(progress.files))}</Text>
      <Text size="sm">{words.bytes(bytes(progress.bytesDone), bytes(progress.bytes))}</Text>
      {rate !== null && <Text size="sm">{words.rate(bytes(Math.round(rate)))}</Text>}
      {secondsLeft !== null && (
        <Text size="sm" c="dimmed">
          {words.left(duration(secondsLeft))}
        </Text>
      )}
      {skipped > 0 && (
        <Text size="sm" c="dimmed">
          {words.skipped(skipped)}
        </Text>
      )}
      {unpacked !== null && (
        <Text size="sm" c="dimmed">
          {words.members(unpacked.created, unpacked.skipped)}
        </Text>
      )}
    </Group>
  );
}

/** Files that the platform puts together from chunks, with the workflows that do it. */
function Sessions({ tenant, datasetId }: { tenant: string; datasetId: string }) {
  const sessions = useMemory(tenant, datasetId)?.sessions ?? [];
  return sessions
    .slice(0, 4)
    .map(({ path, uploadId }) => <SessionLink key={uploadId} path={path} uploadId={uploadId} />);
}

function SessionLink({ path, uploadId }: { path: string; uploadId: string }) {
  const workflows = useWorkflowFact('dataset-upload', uploadId);
  return workflows.map(([name, link]) => (
    <Text key={name} size="xs">
      <span className="mono">{path}</span> {link}
    </Text>
  ));
}

function Waiting({ progress: { wait, phase } }: { progress: Progress }) {
  const now = useNow(wait === null ? null : 500);
  if (wait === null || isOver(phase)) return null;
  const seconds = Math.max(0, Math.ceil((wait.until - now) / 1000));
  return (
    <Text size="sm" role="status" c="var(--state-waiting)">
      {wait.reason === 'signedOut' ? words.signedOut : words.waitingFor(words[wait.reason], seconds)}
    </Text>
  );
}

/** Always four lines, so that nothing below moves. */
function Now({ progress: { now } }: { progress: Progress }) {
  return (
    <Stack gap={0} aria-hidden h={72}>
      {now.slice(0, 4).map(({ path, share, isHashing }) => (
        <Group key={path} gap="sm" wrap="nowrap" justify="space-between">
          <Text size="xs" c="dimmed" className="mono" truncate="start">
            {path}
          </Text>
          {(isHashing || share > 0) && (
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              {isHashing ? `${words.hashing} ` : ''}
              {Math.floor(share * 100)} %
            </Text>
          )}
        </Group>
      ))}
    </Stack>
  );
}
