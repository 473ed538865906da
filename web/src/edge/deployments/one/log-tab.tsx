import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMissing, useTenant } from '../../../app/session';
import type { Deployment } from '../../../shared/deployments/queries';
import { ErrorCard } from '../../../shared/error-card';
import { useSearchChange } from '../../../shared/list/list-page';
import { Loading } from '../../../shared/loading';
import { LogViewer } from '../../../shared/log/log-viewer';
import { count } from '../../../shared/numbers';
import type { TabSearch } from '../../../shared/tabs';
import { text } from '../../../text';
import { deploymentLogQuery, type DeviceStep, isUnderWay } from '../queries';
import { DEVICE_STEPS } from './device-step';
import { logText } from './log-lines';

const words = text.deployments.page;

/** What happened, of all steps or of one. */
export function LogTab({ deployment }: { deployment: Deployment }) {
  const missing = useMissing('OPERATE');
  if (missing !== null) return <Text c="dimmed">{missing}</Text>;
  return <Log deployment={deployment} />;
}

function Log({ deployment }: { deployment: Deployment }) {
  const search: TabSearch = useSearch({ strict: false });
  const step = DEVICE_STEPS.find((each) => each === search.step);
  return (
    <Stack gap="sm">
      <StepSelect step={step} />
      <Lines deployment={deployment} step={step} />
    </Stack>
  );
}

function StepSelect({ step }: { step: DeviceStep | undefined }) {
  const change = useSearchChange();
  return (
    <Select
      size="sm"
      w={200}
      label={words.log.step}
      placeholder={words.log.all}
      clearable
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(words.log.step) }}
      data={DEVICE_STEPS.map((value) => ({ value, label: words.stepNames[value] }))}
      value={step ?? null}
      onChange={(value) => change({ step: value ?? undefined })}
    />
  );
}

function Lines({ deployment, step }: { deployment: Deployment; step: DeviceStep | undefined }) {
  const query = useQuery(deploymentLogQuery(useTenant(), deployment.id, step));
  const lines = useMemo(() => (query.data?.items ?? []).map(logText), [query.data]);
  if (query.isPending) return <Loading lines={12} />;
  if (query.data === undefined) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  if (lines.length === 0) return <Text c="dimmed">{words.log.empty}</Text>;
  const isTail = lines.length < query.data.total;
  return (
    <LogViewer
      label={words.log.label(text.deployments.name(deployment.model_name, deployment.version))}
      lines={lines}
      isTail={isTail}
      isLive={isUnderWay(deployment)}
      downloadUrl={null}
      note={
        isTail && (
          <Text size="sm" c="dimmed">
            {words.log.latest(count(lines.length), count(query.data.total))}
          </Text>
        )
      }
    />
  );
}
