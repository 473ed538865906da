import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { WholeLog } from '../../shared/log/whole-log';
import { usePageCurl } from '../../shared/page-curl';
import { isMoving } from '../../shared/state-chip';
import { text } from '../../text';
import type { ExperimentDetail } from '../queries';
import type { LogBus } from './live';

export function LogTab({ experiment, bus }: { experiment: ExperimentDetail; bus: LogBus }) {
  const { code } = useTenant();
  usePageCurl({ path: `/api/v1/training/experiments/${experiment.id}/log` });
  const isLive = isMoving(experiment.status);
  return (
    <WholeLog
      label={`${text.training.one.tabs.log} ${experiment.name}`}
      source={{
        url: tenantUrl(code, `/api/v1/training/experiments/${experiment.id}/log`),
        bus: isLive ? bus : null,
      }}
      isLive={isLive}
      empty={text.training.log.empty}
    />
  );
}
