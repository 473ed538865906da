import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { WholeLog } from '../../shared/log/whole-log';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import type { ExperimentDetail } from '../queries';
import type { LogBus } from './live';

/** Where the log lies among the files of a run when its training has ended. */
const LOG_FILE = 'logs/train.log';

export function LogTab({ experiment, bus }: { experiment: ExperimentDetail; bus: LogBus }) {
  const { code } = useTenant();
  usePageCurl({ path: `/api/v1/training/experiments/${experiment.id}/log` });
  const isLive = isMoving(experiment.status);
  return (
    <WholeLog
      label={`${text.training.one.tabs.log} ${experiment.name}`}
      source={{
        wholeUrl: tenantUrl(code, `/api/v1/training/experiments/${experiment.id}/log`),
        fileUrl: tenantUrl(code, `/api/v1/runs/${experiment.tracker_run_id}/artifact`, { path: LOG_FILE }),
        bus: isLive ? bus : null,
      }}
      isLive={isLive}
      empty={text.training.log.empty}
    />
  );
}
