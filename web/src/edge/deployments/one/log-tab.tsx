import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useZone } from '../../../app/preferences';
import { useMissing, useTenant } from '../../../app/session';
import type { Deployment } from '../../../shared/deployments/queries';
import { useSearchChange } from '../../../shared/search-change';
import { LogViewer } from '../../../shared/log/log-viewer';
import { count } from '../../../shared/numbers';
import type { TabSearch } from '../../../shared/tabs';
import { Reading } from '../../../shared/reading';
import { text } from '../../../text';
import { deploymentLogQuery, isUnderWay, type LogFilter } from '../queries';
import { DEVICE_STEPS } from './device-step';
import { logText } from './log-lines';
import { usePageCurl } from '../../../shared/page-curl';

const words = text.deployments.page;

/** What happened, of all steps and devices or of one. */
export function LogTab({ deployment }: { deployment: Deployment }) {
  const missing = useMissing('OPERATE');
  if (missing !== null) return <Text c="dimmed">{missing}</Text>;
  return <Log deployment={deployment} />;
}

function Log({ deployment }: { deployment: Deployment }) {
  const search: TabSearch = useSearch({ strict: false });
  const step = DEVICE_STEPS.find((each) => each === search.step);
  const device = search.device === undefined ? undefined : String(search.device);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <LogSelect
          of="step"
          label={words.log.step}
          all={words.log.all}
          options={DEVICE_STEPS.map((value) => ({ value, label: words.stepNames[value] }))}
          value={step}
        />
        {device !== undefined && (
          <LogSelect
            of="device"
            label={words.log.device}
            all={words.log.allDevices}
            options={[{ value: device, label: device }]}
            value={device}
          />
        )}
      </Group>
      <Lines deployment={deployment} filter={{ step, device_id: device }} />
    </Stack>
  );
}

interface LogSelectProps {
  /** Its word in the address. */
  readonly of: 'step' | 'device';
  readonly label: string;
  readonly all: string;
  readonly options: { value: string; label: string }[];
  readonly value: string | undefined;
}

function LogSelect({ of, label, all, options, value }: LogSelectProps) {
  const change = useSearchChange();
  return (
    <Select
      size="sm"
      w={200}
      label={label}
      placeholder={all}
      clearable
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(label) }}
      data={options}
      value={value ?? null}
      onChange={(chosen) => change({ [of]: chosen ?? undefined })}
    />
  );
}

function Lines({ deployment, filter }: { deployment: Deployment; filter: LogFilter }) {
  usePageCurl({ path: `/api/v1/deployments/${deployment.id}/logs`, query: { ...filter } });
  const query = useQuery(deploymentLogQuery(useTenant(), deployment.id, filter));
  const zone = useZone();
  const lines = useMemo(
    () => (query.data?.items ?? []).map((line) => logText(line, zone)),
    [query.data, zone],
  );
  if (query.data === undefined) return <Reading query={query} lines={12} />;
  if (lines.length === 0) return <Text c="dimmed">{words.log.empty}</Text>;
  const isTail = lines.length < query.data.total;
  return (
    <>
      <Reading query={query} />
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
    </>
  );
}
