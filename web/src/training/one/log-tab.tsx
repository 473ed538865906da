import { Button, Text } from '@mantine/core';
import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { ErrorCard } from '../../shared/error-card';
import { Loading } from '../../shared/loading';
import { allLines } from '../../shared/log/log-lines';
import { LogViewer } from '../../shared/log/log-viewer';
import { useLog } from '../../shared/log/use-log';
import { bytes } from '../../shared/numbers';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import type { ExperimentDetail } from '../queries';
import type { LogBus } from './live';
import { useMemo } from 'react';

/** Where the log lies among the files of a run when its training has ended. */
const LOG_FILE = 'logs/train.log';

export function LogTab({ experiment, bus }: { experiment: ExperimentDetail; bus: LogBus }) {
  const { code } = useTenant();
  usePageCurl({ path: `/api/v1/training/experiments/${experiment.id}/log` });
  const wholeUrl = tenantUrl(code, `/api/v1/training/experiments/${experiment.id}/log`);
  const isLive = isMoving(experiment.status);
  const log = useLog({
    wholeUrl,
    fileUrl: tenantUrl(code, `/api/v1/runs/${experiment.tracker_run_id}/artifact`, { path: LOG_FILE }),
    bus: isLive ? bus : null,
  });
  const lines = useMemo(() => allLines(log.text), [log.text]);
  if (log.error !== null && lines.length === 0) return <ErrorCard error={log.error} />;
  if (log.isLoading && lines.length === 0) return <Loading lines={12} />;
  if (lines.length === 0) return <Text c="dimmed">{text.training.log.empty}</Text>;
  return (
    <LogViewer
      label={`${text.training.one.tabs.log} ${experiment.name}`}
      lines={lines}
      isTail={log.text.isTail}
      isLive={isLive}
      downloadUrl={wholeUrl}
      note={
        log.restOf !== null && (
          <Button size="compact-sm" variant="default" onClick={log.loadAll}>
            {text.training.log.whole(bytes(log.restOf))}
          </Button>
        )
      }
    />
  );
}
